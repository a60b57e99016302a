// Applies the reducer of one state key to updates that were admitted as JSON. Many updates of one key are folded in one
// go: one by one would copy a list once per branch. What an author's reducer returns is checked, and shares what was
// checked before, so that checking costs no more than the reducer's own work.

import { AtomicError, messageOf } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { Json, JsonObject, ToJsonOptions } from "../../../lib/json.ts";
import { toJson } from "../../../lib/json.ts";
import { viewOf } from "../../../lib/json-view.ts";
import { emptyList, inheritHolder } from "../../../lib/loose-lists.ts";
import { mergeListsById } from "./merge-by-id.ts";
import { builtInReducers, Reducers } from "./state.ts";
import { builtInEquivalent } from "./written-out-reducer.ts";

export type AnyReducer = (current: Json | undefined, update: Json) => unknown;

const numericReducers: ReadonlySet<unknown> = new Set<unknown>([Reducers.sum, Reducers.max, Reducers.min]);

export interface KeyReducer {
  readonly key: string;
  /** The author's, or the built-in one that does the same (written-out-reducer.ts). */
  readonly reducer: AnyReducer;
  /** The author's reducer that `reducer` stands for. It is called for what is not a list, or not an object. */
  readonly writtenOut: AnyReducer | undefined;
  /** `reducer` is a built-in one. */
  readonly isBuiltIn: boolean;
  /** `reducer` is a built-in one that gives a number for two numbers. */
  readonly isNumeric: boolean;
  /** What this reducer returned before, if an author wrote it. */
  readonly known: WeakSet<object>;
}

export function keyReducer(key: string, given: AnyReducer, known: WeakSet<object>): KeyReducer {
  const isBuiltIn = builtInReducers.has(given);
  const builtIn = isBuiltIn ? undefined : builtInEquivalent(given);
  if (builtIn === undefined) {
    return { key, reducer: given, writtenOut: undefined, isBuiltIn, isNumeric: numericReducers.has(given), known };
  }
  return { key, reducer: builtIn as AnyReducer, writtenOut: given, isBuiltIn: true, isNumeric: false, known };
}

/** Folds one update into the current value. */
export function reduceOne(of: KeyReducer, current: Json | undefined, update: Json): Json {
  if (of.isNumeric && typeof current === "number" && typeof update === "number") {
    const reduced = of.reducer(current, update) as number;
    // Minus zero and non-finite numbers are left to the check.
    if (Number.isFinite(reduced) && reduced !== 0) return reduced;
  }
  return reduceAll(of, current, [update]);
}

/** Folds the updates into the current value, in the order given. */
export function reduceAll(of: KeyReducer, current: Json | undefined, updates: readonly Json[]): Json {
  let reduced: unknown;
  try {
    reduced = callReducer(of, current, updates);
  } catch (thrown) {
    throw new AtomicError("NODE_FAILED", `the reducer of state key "${of.key}" threw: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  // The results of counters and flags need no check, except for minus zero and non-finite numbers.
  if (typeof reduced === "boolean" || (Number.isFinite(reduced) && reduced !== 0)) return reduced as number | boolean;
  return buildsOnAdmitted(of, current, updates, reduced) ? reduced : admit(of, reduced, current, updates);
}

function callReducer(of: KeyReducer, current: Json | undefined, updates: readonly Json[]): unknown {
  const reducer = usedFor(of, current, updates);
  if (reducer === Reducers.concat) return appendAll(current as readonly Json[] | undefined, updates);
  if (reducer === Reducers.merge) return mergeAll(current as JsonObject | undefined, updates);
  if (reducer === Reducers.mergeById) return mergeListsById(current as readonly Json[] | undefined, updates);
  if (of.isBuiltIn && reducer === of.reducer) {
    let reduced: unknown = current;
    for (const update of updates) reduced = reducer(reduced as Json, update);
    return reduced;
  }
  // An author's reducer may change its arguments, which other code still holds. A value that it returned is its own.
  let reduced: unknown = current === undefined ? current : viewOf(current);
  for (const update of updates) reduced = reducer(reduced as Json, viewOf(update));
  return reduced;
}

function usedFor(of: KeyReducer, current: Json | undefined, updates: readonly Json[]): AnyReducer {
  if (of.writtenOut === undefined) return of.reducer;
  const isMeant = isBuiltInFor(of, current) && updates.every((update) => isBuiltInFor(of, update));
  return isMeant ? of.reducer : of.writtenOut;
}

/** A built-in reducer matches a hand-written one only for the kind of value that both are meant for. */
export function isBuiltInFor({ reducer }: KeyReducer, value: Json | undefined): boolean {
  return reducer === Reducers.concat ? Array.isArray(value) : isRecord(value);
}

/** Consists of values that were admitted before; only the container is new, and is valid. */
function buildsOnAdmitted(
  of: KeyReducer,
  current: Json | undefined,
  updates: readonly Json[],
  reduced: unknown,
): reduced is Json {
  if (typeof reduced !== "object" || reduced === null) return false;
  const reducer = usedFor(of, current, updates);
  return reducer === Reducers.concat || reducer === Reducers.merge || reducer === Reducers.mergeById;
}

/** The same as appending one after the other. Not one call with all of them: there may be too many arguments. */
function appendAll(current: readonly Json[] | undefined, updates: readonly Json[]): readonly Json[] {
  const all = updates.length === 1 ? appendOne(current, updates[0] as readonly Json[]) : [...(current ?? [])];
  if (updates.length > 1) {
    for (const update of updates) {
      if (Array.isArray(update)) for (const item of update) all.push(item as Json);
      else all.push(update);
    }
  }
  inheritHolder(all, current);
  for (const update of updates) inheritHolder(all, update);
  return all.length === 0 ? emptyList : all;
}

function appendOne(current: readonly Json[] | undefined, update: readonly Json[]): Json[] {
  return Reducers.concat(current as readonly Json[], update);
}

function mergeAll(current: JsonObject | undefined, updates: readonly Json[]): JsonObject {
  const merged: Record<string, Json> = { ...current };
  inheritHolder(merged, current);
  for (const update of updates) {
    Object.assign(merged, update);
    inheritHolder(merged, update);
  }
  return Object.freeze(merged);
}

function admit(
  { key, known }: KeyReducer,
  reduced: unknown,
  current: Json | undefined,
  updates: readonly Json[],
): Json {
  if (reduced === current || (typeof reduced === "object" && reduced !== null && known.has(reduced)))
    return reduced as Json;
  const options = { source: `the reducer of state key "${key}"`, path: key, known: new KnownParts(known, updates) };
  if (!Array.isArray(reduced) || !Array.isArray(current)) return toJson(reduced, options);
  const items: readonly unknown[] = reduced;
  const before = current as readonly Json[];
  let same = 0;
  while (same < before.length && same < items.length && items[same] === before[same]) same++;
  if (same === 0) return toJson(items, options);
  // A list that mostly grows at its end: what was in it before was admitted before.
  const added = admitFrom(items, same, options);
  const list = (same === before.length ? before : before.slice(0, same)).concat(added);
  inheritHolder(list, before);
  inheritHolder(list, added);
  return list;
}

function admitFrom(items: readonly unknown[], from: number, options: ToJsonOptions): readonly Json[] {
  try {
    return toJson(items.slice(from), options) as readonly Json[];
  } catch (refused) {
    // Checked again, so that the error names its position in the whole list.
    toJson(items, options);
    throw refused;
  }
}

/**
 * What the reducer returned before, and the parts of the updates it was given: those were admitted with them. Most
 * reducers return items in the order they came in; then one comparison per item is enough, without a lookup.
 */
class KnownParts {
  readonly #returned: WeakSet<object>;
  readonly #updates: readonly Json[];
  #update = 0;
  #item = 0;
  #parts: Set<unknown> | undefined;

  constructor(returned: WeakSet<object>, updates: readonly Json[]) {
    this.#returned = returned;
    this.#updates = updates;
  }

  has(value: object): boolean {
    if (this.#parts === undefined && this.#isNextItem(value)) return true;
    this.#parts ??= new Set(this.#updates.flatMap((update) => (isContainer(update) ? Object.values(update) : [])));
    return this.#parts.has(value) || this.#returned.has(value);
  }

  add(value: object): void {
    this.#returned.add(value);
  }

  #isNextItem(value: object): boolean {
    while (this.#update < this.#updates.length) {
      const update = this.#updates[this.#update] as Json;
      if (Array.isArray(update) && this.#item < update.length) return update[this.#item++] === value;
      this.#update++;
      this.#item = 0;
    }
    return false;
  }
}

function isContainer(value: Json): value is readonly Json[] | JsonObject {
  return typeof value === "object" && value !== null;
}
