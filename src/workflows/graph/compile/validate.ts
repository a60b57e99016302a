// How the parts of a graph fit together: every id that is mentioned exists, every node can be reached. The parts
// themselves were checked before (validate-parts.ts).

import { nearest } from "../../../lib/did-you-mean.ts";
import type { Edge } from "../model/edge.ts";
import type { GraphFault } from "./graph-faults.ts";
import type { GraphPlan } from "./plan.ts";
import type { CheckedParts } from "./validate-parts.ts";

export type AnyEdge = Edge<Record<string, unknown>>;

/** Ids that are mentioned and do not exist. What has no sound shape was reported already. */
export function findUnknownIds(
  parts: { readonly edges: unknown; readonly startNode: unknown; readonly errorNode: string | undefined },
  { ids, hasAllIds, mentions }: CheckedParts,
): GraphFault[] {
  if (!hasAllIds) return [];
  const faults: GraphFault[] = [];
  const isUnknown = (id: unknown): id is string => typeof id === "string" && !ids.has(id);
  const addUnknown = (id: string, path: string): void => {
    faults.push({ path, problem: `there is no node "${id}"${suggest(id, ids)}` });
  };
  if (isUnknown(parts.startNode)) addUnknown(parts.startNode, "startNode");
  if (Array.isArray(parts.edges)) {
    (parts.edges as readonly unknown[]).forEach((edge, i) => {
      const { from, to } = (edge ?? {}) as Partial<AnyEdge>;
      if (isUnknown(from)) addUnknown(from, `edges[${i}].from`);
      if (isUnknown(to)) addUnknown(to, `edges[${i}].to`);
    });
    addTwins(parts.edges, faults);
  }
  for (const { id, path, problem } of mentions) {
    if (!ids.has(id)) faults.push({ path, problem: `${problem}${suggest(id, ids)}` });
  }
  if (isUnknown(parts.errorNode)) addUnknown(parts.errorNode, "catch");
  return faults;
}

/** Edges without a condition that are there twice. */
function addTwins(edges: readonly unknown[], faults: GraphFault[]): void {
  // Nearly every node has one such edge: a set for each would cost more than all other checks.
  const first = new Map<string, string>();
  const further = new Map<string, Set<string>>();
  edges.forEach((edge, i) => {
    const { from, to, condition } = (edge ?? {}) as Partial<AnyEdge>;
    if (condition !== undefined || from === undefined || to === undefined) return;
    const known = first.get(from);
    if (known === undefined) return void first.set(from, to);
    const others = further.get(from) ?? new Set<string>();
    if (known === to || others.has(to))
      faults.push({ path: `edges[${i}]`, problem: `"${from}" already has an edge to "${to}"` });
    else further.set(from, others.add(to));
  });
}

export function findUnreachable(plan: GraphPlan): GraphFault[] {
  const seen = new Uint8Array(plan.nodes.length);
  const queue = plan.errorNode === undefined ? [plan.start] : [plan.start, plan.errorNode];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (seen[at] === 1) continue;
    seen[at] = 1;
    for (const successor of plan.nodes[at]?.successors ?? []) queue.push(successor);
  }
  const startId = plan.nodes[plan.start]?.id;
  return plan.nodes
    .filter((node) => seen[node.index] === 0)
    .map(({ id, definition: { control } }) =>
      control?.kind === "join"
        ? {
            path: `node "${control.of}"`,
            problem: "its own edges are never followed, because every branch has its own edges",
          }
        : {
            path: `node "${id}"`,
            problem: `can't be reached from "${startId}"; add an edge to it, or list it in the \`targets\` of the node that goes there`,
          },
    );
}

function suggest(wanted: string, ids: ReadonlySet<string>): string {
  // A graph of thousands of nodes was made by a program, which does not mistype.
  const near = ids.size > 200 ? undefined : nearest(wanted, ids);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}
