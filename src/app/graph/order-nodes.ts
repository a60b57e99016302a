// The order in which a reader meets the nodes of a graph: from the start along the edges, every node before what follows
// it, except where a loop leads back. What no edge reaches (the node of a `catch`) comes last.

import type { GraphView, GraphViewNode } from "./graph-view.ts";

export function orderNodes({ start, nodes, edges }: GraphView): readonly GraphViewNode[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const targets = next.get(from);
    if (targets === undefined) next.set(from, [to]);
    else targets.push(to);
  }
  const seen = new Set<string>();
  const order = walk(start, next, seen);
  for (const { id } of nodes) order.push(...walk(id, next, seen));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return order.flatMap((id) => byId.get(id) ?? []);
}

/** Depth first, with an explicit stack: a chain may be deeper than the call stack. */
function walk(root: string, next: ReadonlyMap<string, readonly string[]>, seen: Set<string>): string[] {
  const finished: string[] = [];
  const stack: { readonly id: string; at: number }[] = [];
  const enter = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    stack.push({ id, at: 0 });
  };
  enter(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const targets = next.get(top.id) ?? [];
    // The last target first, so that the first one stands right below.
    const target = targets[targets.length - 1 - top.at];
    top.at++;
    if (target !== undefined) enter(target);
    else {
      finished.push(top.id);
      stack.pop();
    }
  }
  return finished.toReversed();
}
