// Which built-in reducer combines the updates of each state key, for readers of a record that have no code of the
// workflow: a screen that shows the state at any moment. Not part of the graph's shape: a changed reducer does not stop a
// resume.

import { builtInEquivalent } from "./written-out-reducer.ts";
import { type AnyAnnotation, Reducers } from "./state.ts";

export type ReducerName = Exclude<keyof typeof Reducers, "replace">;

/** An author's own code: what it makes of an update is not known to a reader. */
export const ownReducer = "own";

const names: ReadonlyMap<unknown, string> = new Map(Object.entries(Reducers).map(([name, reducer]) => [reducer, name]));

/** Keys that each update replaces are left out; undefined when no others are left. */
export function reducerNames(
  annotations: Readonly<Record<string, AnyAnnotation | undefined>> | undefined,
): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(annotations ?? {}).flatMap(([key, annotated]) => {
    if (annotated === undefined || annotated.reducer === Reducers.replace) return [];
    const { reducer } = annotated;
    return [[key, names.get(reducer) ?? names.get(builtInEquivalent(reducer)) ?? ownReducer] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

export function isReducerName(name: string): name is ReducerName {
  return name !== "replace" && Object.hasOwn(Reducers, name);
}
