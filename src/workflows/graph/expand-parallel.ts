// Lays parallel nodes out as ordinary ones: the parallel node becomes a fork with an edge to each branch, and a hidden
// node where the branches meet and from where the parallel node's own edges go on. One mechanism schedules both.

import type { AnyNode } from "./plan.ts";
import type { AnyEdge, GraphFault } from "./validate.ts";

export interface Expanded {
  readonly nodes: AnyNode[];
  readonly edges: AnyEdge[];
  readonly faults: GraphFault[];
}

export function joinIdOf(parallelId: string): string {
  return `${parallelId}/join`;
}

export function expandParallel(nodes: readonly AnyNode[], edges: readonly AnyEdge[]): Expanded {
  if (!nodes.some((node) => node.parallel !== undefined)) return { nodes: [...nodes], edges: [...edges], faults: [] };
  const expansion = new Expansion(edges);
  for (const node of nodes) expansion.add(node);
  return expansion.finish();
}

class Expansion {
  readonly #nodes: AnyNode[] = [];
  readonly #added: AnyEdge[] = [];
  readonly #given: readonly AnyEdge[];
  readonly #haveEdges: Set<string>;
  readonly #joins = new Map<string, string>();
  readonly #faults: GraphFault[] = [];

  constructor(edges: readonly AnyEdge[]) {
    this.#given = edges;
    this.#haveEdges = new Set(edges.map((edge) => edge.from));
  }

  add(node: AnyNode): void {
    this.#nodes.push(node);
    if (node.parallel === undefined) return;
    const join = joinIdOf(node.id);
    this.#joins.set(node.id, join);
    this.#nodes.push({ id: join, type: "control", control: { kind: "join", of: node.id } });
    let ownExits = 0;
    for (const branch of node.parallel.branches) {
      if (typeof branch.nodes === "string") {
        this.#added.push({ from: node.id, to: branch.nodes });
        if (this.#haveEdges.has(branch.nodes)) ownExits++;
        else this.#added.push({ from: branch.nodes, to: join });
        continue;
      }
      this.#addChain(node.id, branch.nodes, join);
    }
    if (ownExits > 0 && node.parallel.strategy !== "all") {
      this.#faults.push({
        path: `node "${node.id}"`,
        problem: `strategy "${node.parallel.strategy}" needs branches that end in this node; a branch has edges of its own`,
      });
    }
  }

  #addChain(fork: string, chain: readonly AnyNode[], join: string): void {
    let from = fork;
    for (const node of chain) {
      this.#added.push({ from, to: node.id });
      this.add(node);
      from = this.#joins.get(node.id) ?? node.id;
    }
    this.#added.push({ from, to: join });
  }

  finish(): Expanded {
    // What the author drew from a parallel node leaves from where its branches meet.
    const moved = this.#given.map((edge) => {
      const join = this.#joins.get(edge.from);
      return join === undefined ? edge : { ...edge, from: join };
    });
    const entered = new Set(this.#added.map((edge) => edge.to));
    const left = new Set(moved.map((edge) => edge.from));
    const unused = new Set([...this.#joins.values()].filter((join) => !entered.has(join) && !left.has(join)));
    return {
      nodes: this.#nodes.filter((node) => !unused.has(node.id)),
      edges: [...moved, ...this.#added],
      faults: this.#faults,
    };
  }
}
