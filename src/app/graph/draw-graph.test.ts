import { describe, expect, test } from "bun:test";
import type { GraphView, GraphViewEdge } from "./graph-view.ts";
import { drawGraph } from "./draw-graph.ts";
import { mermaidOf } from "./mermaid.ts";
import { orderNodes } from "./order-nodes.ts";

/** `a>b` always, `a?b` under a condition, `a~b` by goto. */
function view(nodes: string, ...edges: string[]): GraphView {
  const kinds = { ">": "always", "?": "condition", "~": "goto" } as const;
  return {
    start: nodes.charAt(0),
    nodes: Array.from(nodes, (id) => id).map((id) => ({ id, kind: "tool", label: id })),
    edges: edges.map((edge): GraphViewEdge => {
      const [from = "", sign = ">", to = ""] = edge;
      return { from, to, kind: kinds[sign as keyof typeof kinds] };
    }),
  };
}

const drawing = (...parts: Parameters<typeof view>): string => drawGraph(view(...parts)).split("\n\n│ always")[0] ?? "";

describe("a drawing", () => {
  test("of a chain is one line down", () => {
    expect(drawing("abc", "a>b", "b>c")).toBe(["● a  (tool)", "│", "● b  (tool)", "│", "● c  (tool)"].join("\n"));
  });

  test("of a branch leads around what comes between", () => {
    expect(drawing("abc", "a?b", "a>c", "b>c")).toBe(
      ["● a  (tool)", "┊            ──╮", "● b  (tool)    │", "│              │", "● c  (tool)  ◀─╯"].join("\n"),
    );
  });

  test("of a loop leads back up", () => {
    expect(drawing("abc", "a>b", "b?a", "b>c")).toBe(
      ["● a  (tool)  ◀─╮", "│              ┊", "● b  (tool)    ┊", "│            ──╯", "● c  (tool)"].join("\n"),
    );
  });

  test("that is too wide for the terminal is a list of edges", () => {
    const branch = view("abc", "a?b", "a>c", "b>c");
    const lines = drawGraph(branch).split("\n");
    const widest = Math.max(...lines.slice(0, 5).map((line) => line.length));
    expect(drawGraph(branch, widest)).toBe(lines.join("\n"));
    expect(drawGraph(branch, widest - 1)).toBe("● a  (tool)  → b, c\n● b  (tool)  → c\n● c  (tool)");
  });

  test("of a node that leads to itself shows the way back", () => {
    expect(drawing("a", "a?a")).toBe(["● a  (tool)  ◀─╮", "             ──╯"].join("\n"));
  });

  test("lets lines cross without losing one", () => {
    expect(drawing("abcd", "a>b", "a?c", "b~d", "c>d").split("\n")[3]).toContain("┼");
  });

  test("of one node is that node", () => {
    expect(drawing("a")).toBe("● a  (tool)");
  });

  test("of too many branches to follow is a list", () => {
    const nodes = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
    const [start = "", ...rest] = nodes;
    const text = drawing(nodes, ...rest.map((id) => `${start}>${id}`));
    expect(text.split("\n")).toHaveLength(100);
    expect(text).toContain("→");
  });

  test("of a chain of 20,000 nodes is drawn without running out of stack", () => {
    const nodes = Array.from({ length: 20_000 }, (_, i) => ({ id: `n${i}`, kind: "tool" as const, label: `n${i}` }));
    const edges = nodes.slice(1).map(({ id }, i) => ({ from: `n${i}`, to: id, kind: "always" as const }));
    expect(drawGraph({ start: "n0", nodes, edges }).split("\n").length).toBeGreaterThan(39_999);
  });

  test("can't drive the terminal", () => {
    const nodes = [{ id: "a", kind: "subgraph", label: "\u001b[2J", subgraph: "\u001b]0;x" }] as const;
    expect(drawGraph({ start: "a", nodes, edges: [] })).not.toContain("\u001b");
  });
});

test("nodes come in the order they are reached, and what nothing reaches comes last", () => {
  const order = (...parts: Parameters<typeof view>): string =>
    orderNodes(view(...parts))
      .map((node) => node.id)
      .join("");
  expect(order("abcd", "a>d", "d>b", "b>c")).toBe("adbc");
  expect(order("abcd", "a?b", "a>c", "b>d", "c>d")).toBe("abcd");
  expect(order("abx", "a>b", "b>a")).toBe("abx");
});

describe("a Mermaid diagram", () => {
  test("shows kinds, conditions, gotos and names of other workflows", () => {
    const graph: GraphView = {
      start: "plan",
      nodes: [
        { id: "plan", kind: "agent", label: "plan" },
        { id: "ask", kind: "ask_user", label: "ask" },
        { id: "child", kind: "subgraph", label: "child", subgraph: "other" },
      ],
      edges: [
        { from: "plan", to: "ask", kind: "condition", label: "unsure" },
        { from: "plan", to: "child", kind: "always" },
        { from: "ask", to: "plan", kind: "goto" },
        { from: "ask", to: "child", kind: "error" },
      ],
    };
    expect(mermaidOf(graph)).toBe(
      [
        "flowchart TD",
        "  start(( )) --> n0",
        '  n0(["plan"])',
        '  n1[/"ask"/]',
        '  n2[["child: other"]]',
        '  n0 -->|"unsure"| n1',
        '  n0 -->|"otherwise"| n2',
        '  n1 -.->|"goto"| n0',
        '  n1 -.->|"on error"| n2',
      ].join("\n"),
    );
  });

  test("writes what could be syntax as entities", () => {
    const nodes = [{ id: "x", kind: "tool", label: `a"] --> evil["<b>&` }] as const;
    const text = mermaidOf({ start: "x", nodes, edges: [] });
    expect(text).not.toContain("evil[");
    expect(text).not.toContain("<b>");
    expect(text.split("\n")).toHaveLength(3);
  });
});
