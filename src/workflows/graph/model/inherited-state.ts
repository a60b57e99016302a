// The state of a subgraph that consists of the enclosing state and a few more keys. The enclosing state is already on
// record, so it is shared instead of being copied and checked again for each of thousands of items.

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
