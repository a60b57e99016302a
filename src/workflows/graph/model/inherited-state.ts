// The state of a subgraph that is the state around it and a few keys more. What is around is in the record already, so it
// is shared instead of copied and checked once more for each of thousands of items.

class InheritedState {
  readonly added: Readonly<Record<string, unknown>>;

  constructor(added: Readonly<Record<string, unknown>>) {
    this.added = added;
  }
}

/** For `ctx.runSubgraph` with a compiled graph. `_around` is the state that its context shows. */
export function inheritState<S extends object, A extends object>(_around: Readonly<S>, added: A): S & A {
  return new InheritedState(added as Readonly<Record<string, unknown>>) as object as S & A;
}

/** What is added to the surrounding state; undefined for a separate state. */
export function additionsOf(state: object): Readonly<Record<string, unknown>> | undefined {
  return state instanceof InheritedState ? state.added : undefined;
}
