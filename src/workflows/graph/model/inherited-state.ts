// The state of a subgraph that is the state around it and a few keys more. What is around is in the record already, so it
// is shared instead of copied and checked once more for each of thousands of items.

const additions = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** `state` must be the one that the context of the visit shows. */
export function inheritState<S extends object, A extends object>(state: Readonly<S>, added: A): S & A {
  const inherited = { ...state, ...added };
  additions.set(inherited, added as Readonly<Record<string, unknown>>);
  return inherited;
}

/** What was added to the state around; undefined for a state of its own. */
export function additionsOf(state: object): Readonly<Record<string, unknown>> | undefined {
  return additions.get(state);
}
