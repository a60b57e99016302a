// Lays parallel nodes out as ordinary ones: the parallel node becomes a fork with an edge to each branch, and a hidden
// node where the branches meet and the parallel node's own edges start. One mechanism schedules both.

import type { AnyNode } from "./plan.ts";
import type { GraphFault } from "./graph-faults.ts";
import type { AnyEdge } from "./validate.ts";

export interface Expanded {
  readonly nodes: AnyNode[];
  readonly edges: AnyEdge[];
  readonly faults: GraphFault[];
}

function joinIdOf(parallelId: string): string {
  return `${parallelId}/join`;
}

export function expandParallel(
  nodes: readonly AnyNode[],
  edges: readonly AnyEdge[],
  ids: ReadonlySet<string>,
): Expanded {
  if (!nodes.some((node) => node.parallel !== undefined)) return { nodes: [...nodes], edges: [...edges], faults: [] };
  const expansion = new Expansion(edges, ids);
  for (const node of nodes) expansion.add(node);
  return expansion.finish();
}

class Expansion {
  readonly #nodes: AnyNode[] = [];
  readonly #added: AnyEdge[] = [];
  readonly #given: readonly AnyEdge[];
  readonly #ids: ReadonlySet<string>;
  readonly #haveEdges: Set<string>;
  readonly #joins = new Map<string, string>();
  /** Nodes that are named as branches and have no edges, with their parallel node. */
  readonly #branchOf = new Map<string, string>();
  readonly #faults: GraphFault[] = [];

  constructor(edges: readonly AnyEdge[], ids: ReadonlySet<string>) {
    this.#given = edges;
    this.#ids = ids;
    this.#haveEdges = new Set(edges.map((edge) => edge.from));
  }

  add(node: AnyNode): void {
    this.#nodes.push(node);
    if (node.parallel === undefined) return;
    const join = joinIdOf(node.id);
    if (this.#ids.has(join)) {
      const problem = `the id is taken: that is what the end of the parallel node "${node.id}" is called`;
      this.#faults.push({ path: `node "${join}"`, problem });
    }
    this.#joins.set(node.id, join);
    this.#nodes.push({ id: join, type: "control", control: { kind: "join", of: node.id } });
    let ownExits = 0;
    for (const branch of node.parallel.branches) {
      if (typeof branch.nodes === "string") {
        this.#added.push({ from: node.id, to: branch.nodes });
        if (this.#haveEdges.has(branch.nodes)) ownExits++;
        else this.#nameBranch(branch.nodes, node.id);
        continue;
      }
      this.#addChain(node.id, branch.nodes, join);
    }
    if (ownExits > 0 && node.parallel.strategy !== "all") {
      this.#faults.push({
        path: `node "${node.id}"`,
        problem: `strategy "${node.parallel.strategy}" needs branches that end in this node; a branch has its own edges`,
      });
    }
  }

  /** A node without edges goes to where the branches meet, so it can be a branch of one parallel node only. */
  #nameBranch(branch: string, parallel: string): void {
    const other = this.#branchOf.get(branch);
    if (other === undefined) this.#branchOf.set(branch, parallel);
    else {
      this.#faults.push({
        path: `node "${branch}"`,
        problem: `is a branch of "${other}" and of "${parallel}", and has no edge that says where to go after it; give it one, or make two nodes of it`,
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
    for (const [branch, parallel] of this.#branchOf)
      this.#added.push({ from: this.#joins.get(branch) ?? branch, to: joinIdOf(parallel) });
    // The author's edges from a parallel node start where its branches meet.
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
