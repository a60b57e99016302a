// The value of one key of a run's state at a moment: what nodes wrote, combined by the reducer that the record names. Kept
// as a chain of updates and combined when it is looked at, so that following a run costs the same per event however long
// its lists get. Updates are combined in the order of the record; where branches meet, the engine takes the order in which
// they were declared. Pure.

import type { Json } from "../../lib/json.ts";
import { isReducerName, ownReducer } from "../../workflows/graph/model/reducer-names.ts";
import type { AnyReducer } from "../../workflows/graph/model/reduce.ts";
import { Reducers } from "../../workflows/graph/model/state.ts";

export interface ShownState {
  /** What was written last. */
  readonly value: Json;
  /** The visit that wrote it; empty: the first state. */
  readonly key: string;
  readonly seq: number;
  /** The reducer's name; undefined: it replaced what was there. */
  readonly reducer: string | undefined;
  /** What it was combined with. */
  readonly before: ShownState | undefined;
}

export interface WrittenUpdate {
  readonly value: Json;
  readonly key: string;
  readonly seq: number;
  /** As the record has it. */
  readonly reducer: Json | undefined;
}

export function firstValue(value: Json, seq: number): ShownState {
  return { value, key: "", seq, reducer: undefined, before: undefined };
}

export function updatedValue(before: ShownState | undefined, { reducer, ...update }: WrittenUpdate): ShownState {
  return typeof reducer === "string"
    ? { ...update, reducer, before }
    : { ...update, reducer: undefined, before: undefined };
}

export interface CombinedValue {
  readonly value: Json;
  /** False: the workflow's own reducer made something else of it. */
  readonly isExact: boolean;
}

const combined = new WeakMap<ShownState, CombinedValue>();

export function combinedValue(state: ShownState): CombinedValue {
  const known = combined.get(state);
  if (known !== undefined) return known;
  const made = combine(state);
  combined.set(state, made);
  return made;
}

function combine({ value, reducer, before }: ShownState): CombinedValue {
  if (reducer === undefined) return { value, isExact: true };
  if (reducer === ownReducer || !isReducerName(reducer)) return { value, isExact: false };
  // A loop, not a recursion: a chain may be a hundred thousand updates long.
  const updates: Json[] = [value];
  let first: Json | undefined;
  for (let at = before; at !== undefined; at = at.before) {
    if (at.reducer === undefined) first = at.value;
    else updates.push(at.value);
  }
  updates.reverse();
  if (reducer === "concat") return { value: [first ?? [], ...updates].flat(1), isExact: true };
  const reduce = Reducers[reducer] as AnyReducer;
  let result: Json | undefined = first;
  for (const update of updates) result = reduce(result, update) as Json;
  return { value: result ?? null, isExact: true };
}
