// Anything that can stand in a subgraph node: a compiled graph, or an object with the same `execute`.

export interface CompiledSubgraph<S extends object = Record<string, unknown>> {
  execute(state: S): Promise<S>;
}
