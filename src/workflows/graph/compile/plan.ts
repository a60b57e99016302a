// The indexed form of a graph that the scheduler walks: numbers instead of names, edges sorted by kind.

import { isAskingBody } from "../model/asking-body.ts";
import type { Edge } from "../model/edge.ts";
import { keyPart } from "../model/key.ts";
import type { NodeDefinition, ParallelSpec } from "../model/node.ts";
import type { GraphEdges } from "./reach.ts";
import { Cuts } from "./reach.ts";

export type AnyNode = NodeDefinition<Record<string, unknown>>;
export type Condition = (state: Readonly<Record<string, unknown>>) => boolean;

export interface PlanNode {
  readonly index: number;
  readonly id: string;
  /** The id, escaped for use in keys. */
  readonly keyPart: string;
  /** The node as error messages name it; computed once, because every update is admitted under this name. */
  readonly source: string;
  readonly definition: AnyNode;
  readonly conditional: { readonly condition: Condition; readonly to: number }[];
  readonly next: number[];
  /** The names of the branches of a fork at this node, one for each of `next`; and the same, escaped for keys. */
  readonly branchNames: string[];
  readonly branchParts: string[];
  /** Every node that may follow: edges, goto targets, error routes. */
  readonly successors: number[];
  readonly predecessors: number[];
  /** Retries, timeouts, error handling: such a node never takes the fast path. */
  readonly hasPolicy: boolean;
  /** Its body does nothing but ask a question. */
  readonly isAsking: boolean;
  readonly parallel: ParallelSpec<Record<string, unknown>> | undefined;
  /** Where the branches of a parallel node meet. */
  readonly joinNode: number | undefined;
}

export class GraphPlan implements GraphEdges {
  readonly nodes: readonly PlanNode[];
  readonly start: number;
  readonly #byId: ReadonlyMap<string, number>;
  readonly #sealed = new Map<number, boolean>();
  /** Which nodes can reach a node when nothing is in the way; forks add theirs. */
  readonly noCuts = new Cuts(this);
  /** Reached when a node fails without its own handler. */
  readonly errorNode: number | undefined;

  constructor(
    nodes: readonly PlanNode[],
    byId: ReadonlyMap<string, number>,
    start: number,
    errorNode: number | undefined,
  ) {
    this.nodes = nodes;
    this.#byId = byId;
    this.start = start;
    this.errorNode = errorNode;
  }

  /**
   * Do all paths out of a parallel node lead to where its branches meet, and all paths there through the node? A
   * failure that the graph catches may lead anywhere.
   */
  isSealed(node: PlanNode): boolean {
    const { index, joinNode } = node;
    if (joinNode === undefined || this.errorNode !== undefined) return false;
    let isSealed = this.#sealed.get(index);
    if (isSealed === undefined) {
      const inside = this.noCuts.with(index).reachersOf(joinNode);
      const isInside = (at: number): boolean => at === joinNode || inside.has(at);
      isSealed =
        !inside.has(joinNode) &&
        !inside.has(this.start) &&
        // Where it goes when all branches fail is not inside.
        node.successors.length === node.next.length &&
        node.next.every(isInside) &&
        inside.nodes.every((at) => (this.nodes[at] as PlanNode).successors.every(isInside));
      this.#sealed.set(index, isSealed);
    }
    return isSealed;
  }

  indexOf(id: string): number | undefined {
    return this.#byId.get(id);
  }

  /** Any node can fail, and continue where failures are caught. */
  before(index: number): readonly number[] {
    if (index === this.errorNode) return this.nodes.map((node) => node.index);
    return this.nodes[index]?.predecessors ?? [];
  }
}

export function createPlan(parts: {
  nodes: readonly AnyNode[];
  edges: readonly Edge<Record<string, unknown>>[];
  startNode: string;
  errorNode: string | undefined;
}): GraphPlan {
  const byId = new Map<string, number>();
  const joins = new Map<string, number>();
  parts.nodes.forEach(({ id, control }, index) => {
    byId.set(id, index);
    if (control?.kind === "join") joins.set(control.of, index);
  });
  const planned: PlanNode[] = parts.nodes.map((definition, index) => {
    return {
      index,
      id: definition.id,
      keyPart: keyPart(definition.id),
      source: `node "${definition.id}"`,
      definition,
      conditional: [],
      next: [],
      branchNames: [],
      branchParts: [],
      successors: [],
      predecessors: [],
      hasPolicy:
        definition.retry !== undefined || definition.onError !== undefined || definition.timeoutMs !== undefined,
      isAsking: isAskingBody(definition.execute),
      parallel: definition.parallel,
      joinNode: joins.get(definition.id),
    };
  });
  const link = (from: number, to: number): void => {
    planned[from]?.successors.push(to);
    planned[to]?.predecessors.push(from);
  };
  for (const edge of parts.edges) {
    const from = byId.get(edge.from) as number;
    const to = byId.get(edge.to) as number;
    if (edge.condition === undefined) planned[from]?.next.push(to);
    else planned[from]?.conditional.push({ condition: edge.condition, to });
    link(from, to);
  }
  for (const node of planned) {
    for (const target of goesTo(node.definition)) link(node.index, byId.get(target) as number);
  }
  for (const node of planned) nameBranches(node, planned);
  const errorNode = parts.errorNode === undefined ? undefined : byId.get(parts.errorNode);
  return new GraphPlan(planned, byId, byId.get(parts.startNode) as number, errorNode);
}

function nameBranches(node: PlanNode, planned: readonly PlanNode[]): void {
  if (node.parallel === undefined && node.next.length < 2) return;
  const names =
    node.parallel?.branches.map((branch) => branch.name) ?? node.next.map((index) => (planned[index] as PlanNode).id);
  for (const name of names) {
    node.branchNames.push(name);
    node.branchParts.push(keyPart(name));
  }
}

/** Where a node may go besides its edges. */
export function goesTo(definition: AnyNode): string[] {
  const targets = [...(definition.targets ?? [])];
  if (typeof definition.onError === "string") targets.push(definition.onError);
  if (definition.control?.kind === "loop-check") targets.push(definition.control.body, definition.control.exit);
  return targets;
}
