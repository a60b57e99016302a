// A graph as a Mermaid flowchart, for documents. Labels come from strangers' files: everything that Mermaid could take
// for syntax is written as an entity.

import type { GraphNodeKind, GraphView, GraphViewEdge } from "./graph-view.ts";
import { safeLine } from "../../lib/safe-text.ts";

/** Opening and closing of the shape that a kind of node has. */
const shapes: Readonly<Record<GraphNodeKind, readonly [string, string]>> = {
  agent: ["([", "])"],
  tool: ["[", "]"],
  decision: ["{", "}"],
  if: ["{", "}"],
  loop: ["{{", "}}"],
  wait: ["[/", "/]"],
  ask_user: ["[/", "/]"],
  subgraph: ["[[", "]]"],
  parallel: [">", "]"],
  join: ["((", "))"],
};

export function mermaidOf({ start, nodes, edges }: GraphView): string {
  const ids = new Map(nodes.map((node, i) => [node.id, `n${i}`]));
  const lines = ["flowchart TD", `  start(( )) --> ${ids.get(start) ?? "n0"}`];
  for (const node of nodes) {
    const [open, close] = shapes[node.kind];
    const label = node.subgraph === undefined ? node.label : `${node.label}: ${node.subgraph}`;
    lines.push(`  ${ids.get(node.id)}${open}"${node.kind === "join" ? " " : quote(label)}"${close}`);
  }
  const branches = new Set(edges.filter((edge) => edge.kind === "condition").map((edge) => edge.from));
  for (const edge of edges) {
    lines.push(`  ${ids.get(edge.from)} ${arrow(edge, branches.has(edge.from))} ${ids.get(edge.to)}`);
  }
  return lines.join("\n");
}

function arrow({ kind, label }: GraphViewEdge, hasConditions: boolean): string {
  const text =
    label ?? { always: hasConditions ? "otherwise" : "", condition: "if", goto: "goto", error: "on error" }[kind];
  const line = kind === "goto" || kind === "error" ? "-.->" : "-->";
  return text === "" ? line : `${line}|"${quote(text)}"|`;
}

function quote(text: string): string {
  return safeLine(text, 80).replace(/[^\p{L}\p{N} .,:;!?×()/_-]/gu, (character) => `#${character.codePointAt(0)};`);
}
