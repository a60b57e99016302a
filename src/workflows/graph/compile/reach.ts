// Which nodes can still reach a node, for branches that wait there for others. Computed on first use, and cached
// with the nodes that must not be passed on the way.

/** The edges of a graph, indexed by target. */
export interface GraphEdges {
  /** Nodes from which `index` can be reached in one step. */
  before(index: number): readonly number[];
}

export interface Reachers {
  /** In the order of their declaration, the last one first. */
  readonly nodes: readonly number[];
  has(node: number): boolean;
}

/** Nodes that a branch can't pass on its way to a join: where the forks around it happened. Two equal sets are one. */
export class Cuts {
  readonly #edges: GraphEdges;
  readonly #nodes: ReadonlySet<number>;
  readonly #larger = new Map<number, Cuts>();
  readonly #reachers = new Map<number, Reachers>();

  constructor(edges: GraphEdges, nodes: ReadonlySet<number> = new Set()) {
    this.#edges = edges;
    this.#nodes = nodes;
  }

  /** This set plus one node. */
  with(node: number): Cuts {
    if (this.#nodes.has(node)) return this;
    let larger = this.#larger.get(node);
    if (larger === undefined) {
      larger = new Cuts(this.#edges, new Set([...this.#nodes, node]));
      this.#larger.set(node, larger);
    }
    return larger;
  }

  /** The nodes from which a branch can reach `target`. */
  reachersOf(target: number): Reachers {
    let reachers = this.#reachers.get(target);
    if (reachers === undefined) {
      reachers = this.#compute(target);
      this.#reachers.set(target, reachers);
    }
    return reachers;
  }

  #compute(target: number): Reachers {
    const seen = new Set<number>();
    const queue = [target];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const before of this.#edges.before(at)) {
        if (seen.has(before) || this.#nodes.has(before)) continue;
        seen.add(before);
        queue.push(before);
      }
    }
    return { nodes: [...seen].sort((a, b) => b - a), has: (node) => seen.has(node) };
  }
}
