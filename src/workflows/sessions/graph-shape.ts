// The graph of a run as its first event has it: enough to draw it without the workflow's file, which may have changed
// or be gone. The engine writes it (src/workflows/graph/compile/fingerprint.ts) to refuse a changed graph.

import { isJsonObject } from "../../lib/is-record.ts";
import type { Json } from "../../lib/json.ts";

export interface RecordedGraph {
  readonly start: string;
  readonly nodes: readonly { readonly id: string; readonly type: string }[];
  readonly edges: readonly RecordedEdge[];
}

export interface RecordedEdge {
  readonly from: string;
  readonly to: string;
  readonly isConditional: boolean;
}

/** Undefined for what no version has written. */
export function readShape(shape: Json | undefined): RecordedGraph | undefined {
  if (!isJsonObject(shape)) return undefined;
  const { start, nodes, edges } = shape;
  if (typeof start !== "string" || !Array.isArray(nodes) || !Array.isArray(edges)) return undefined;
  return { start, nodes: nodes.flatMap(nodeOf), edges: edges.flatMap(edgeOf) };
}

/** `tool fetch`, or `subgraph inner = workflow other`. */
function nodeOf(written: Json): RecordedGraph["nodes"] {
  const found =
    typeof written === "string" ? /^(\S*) (.+?)(?: = (?:workflow .*|graph(?: \S+)?))?$/s.exec(written) : null;
  return found === null ? [] : [{ type: found[1] ?? "", id: found[2] ?? "" }];
}

/** `fetch -> check`, or `check ?> done` where the edge has a condition. */
function edgeOf(written: Json): readonly RecordedEdge[] {
  const found = typeof written === "string" ? /^(.+?) ([-?])> (.+)$/s.exec(written) : null;
  return found === null ? [] : [{ from: found[1] ?? "", to: found[3] ?? "", isConditional: found[2] === "?" }];
}
