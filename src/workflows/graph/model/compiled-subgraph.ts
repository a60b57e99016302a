// Anything that a subgraph node can run: a compiled graph, or an object with the same `execute`.

export interface CompiledSubgraph<S extends object = object> {
  /** The state is inferred from what comes out: a compiled graph takes a part of it, or nothing. */
  execute(state: NoInfer<S>): Promise<S>;
}
