// The value of one key of a run's state at a moment: what nodes wrote, combined by the reducer that the record names, or
// by the workflow's own where that could be loaded, in the order of the engine (branch-order.ts). Kept as a chain of updates and combined when it is looked at, so that
// following a run costs the same per event however long its lists get. Pure.

import type { Json } from "../../lib/json.ts";
import { AtomicError } from "../../lib/errors.ts";
import { isReducerName } from "../graph/model/reducer-names.ts";
import { type AnyReducer, keyReducer, reduceAll } from "../graph/model/reduce.ts";
import { Reducers } from "../graph/model/state.ts";
import { type BranchFacts, inBranchOrder } from "./branch-order.ts";

export interface ShownState {
  /** What was written last. */
  readonly value: Json;
  /** The visit that wrote it; empty: the first state. */
  readonly key: string;
  readonly seq: number;
  /** The reducer's name; undefined: it replaced what was there. */
  readonly reducer: string | undefined;
  /** What it was combined with; in a branch also what it replaced, which may be of a branch that comes after. */
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
  if (typeof reducer === "string") return { ...update, reducer, before };
  return { ...update, reducer: undefined, before: update.key.includes("/") ? before : undefined };
}

export interface CombinedValue {
  readonly value: Json;
  /** Not the value but the last update: the workflow's own reducer isn't known here, or threw. */
  readonly problem?: "unknown" | "threw";
  /** What was folded in last; a branch that finished later may stand before it. */
  readonly last: ShownState;
}

interface Combined {
  readonly branches: BranchFacts;
  readonly own: AnyReducer | undefined;
  readonly made: CombinedValue;
}

const combined = new WeakMap<ShownState, Combined>();

/** `own`: the workflow's own reducer of this key, if it is known. */
export function combinedValue(state: ShownState, branches: BranchFacts, own?: AnyReducer): CombinedValue {
  const known = combined.get(state);
  if (known?.branches === branches && known.own === own) return known.made;
  const made = combine(state, branches, own);
  combined.set(state, { branches, own, made });
  return made;
}

function combine(state: ShownState, branches: BranchFacts, own: AnyReducer | undefined): CombinedValue {
  // A loop, not a recursion: a chain may be a hundred thousand updates long.
  const written: ShownState[] = [];
  for (let at: ShownState | undefined = state; at !== undefined; at = at.before) written.push(at);
  const ordered = inBranchOrder(written.reverse(), branches);
  const last = ordered.at(-1) ?? state;
  const { reducer } = state;
  if (reducer === undefined) return { value: last.value, last };
  const first = ordered[0]?.reducer === undefined ? ordered[0]?.value : undefined;
  const updates = ordered.filter((each) => each.reducer !== undefined).map(({ value }) => value);
  if (!isReducerName(reducer)) return { ...ownValue(first, updates, own), last };
  if (reducer === "concat") return { value: [first ?? [], ...updates].flat(1), last };
  const reduce = Reducers[reducer] as AnyReducer;
  let result: Json | undefined = first;
  for (const update of updates) result = reduce(result, update) as Json;
  return { value: result ?? null, last };
}

/** As the engine does it. */
function ownValue(
  first: Json | undefined,
  updates: readonly Json[],
  own: AnyReducer | undefined,
): Pick<CombinedValue, "value" | "problem"> {
  const lastUpdate = updates.at(-1) ?? first ?? null;
  if (own === undefined) return { value: lastUpdate, problem: "unknown" };
  try {
    return { value: reduceAll(keyReducer("", own, new WeakSet()), first, updates) };
  } catch (thrown) {
    if (!AtomicError.is(thrown)) throw thrown;
    return { value: lastUpdate, problem: "threw" };
  }
}
