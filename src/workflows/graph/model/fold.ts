// Folding updates into a state. Pure and deterministic: the same updates in the same order give the same state.
// An update here was already admitted as JSON (toJson); what an author's own reducer returns is checked as well.

import { isRecord } from "../../../lib/is-record.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import { toJson } from "../../../lib/json.ts";
import { viewOfRecord } from "../../../lib/json-view.ts";
import { holdsLooseLists } from "../../../lib/loose-lists.ts";
import type { AnyReducer, KeyReducer } from "./reduce.ts";
import { isBuiltInFor, keyReducer, reduceAll, reduceOne } from "./reduce.ts";
import type { AnyAnnotation } from "./state.ts";
import { associativeReducers, Reducers } from "./state.ts";

export type StateValue = JsonObject;

/** What one branch changed since its fork: one value per key, or a list where the reducer is the author's own. */
export interface Delta {
  /** Never changed in place: the first update of a branch is kept here as it is. */
  combined: JsonObject;
  listed: Record<string, Json[]> | undefined;
  /** Time of the newest update, 0 if there is none. */
  at: number;
  /** The node whose update came last. */
  by: string | undefined;
  /** The node that wrote a key without a reducer, where it may be another one than `by`. */
  writers: Record<string, string> | undefined;
}

/** A key without a reducer that several branches changed: only one of their values is kept. */
export interface WriteConflict {
  readonly key: string;
  /** The nodes that wrote it, in the order of their branches; the value of the last one is kept. */
  readonly nodes: readonly string[];
}

const nothing: JsonObject = Object.freeze({});

export function emptyDelta(): Delta {
  return { combined: nothing, listed: undefined, at: 0, by: undefined, writers: undefined };
}

export class StateFold {
  /** Only keys whose reducer is not plain replacement are in here. */
  readonly #reducers = new Map<string, KeyReducer>();
  readonly #defaults: readonly (readonly [string, unknown])[];

  /** Keys that have held a list, or lists inside. Other states need no view. */
  readonly #listKeys: string[] = [];

  constructor(annotations: Readonly<Record<string, AnyAnnotation | undefined>> | undefined) {
    const defaults: [string, unknown][] = [];
    const known = new WeakSet<object>();
    const use = (key: string, reducer: unknown): void => {
      this.#reducers.set(key, keyReducer(key, reducer as AnyReducer, known));
    };
    use("outputs", Reducers.merge);
    for (const [key, annotated] of Object.entries(annotations ?? {})) {
      if (annotated === undefined) continue;
      defaults.push([key, annotated.default]);
      if (annotated.reducer === Reducers.replace) this.#reducers.delete(key);
      else use(key, annotated.reducer);
    }
    this.#defaults = defaults;
  }

  /** The state a run starts with: the author's values over the annotations' defaults. */
  initial(
    given: Readonly<Record<string, unknown>>,
    executionId: string,
    at: number,
    redact?: (text: string) => string,
  ): StateValue {
    // Without a prototype, so that a key called `__proto__` is a key like any other, and is refused below.
    const state = Object.create(null) as Record<string, unknown>;
    Object.assign(state, { executionId, outputs: {} });
    for (const [key, value] of this.#defaults)
      state[key] = typeof value === "function" ? (value as () => unknown)() : value;
    for (const [key, value] of Object.entries(given)) if (value !== undefined) state[key] = value;
    if (state["executionId"] === "") state["executionId"] = executionId;
    state["lastUpdated"] = isoTime(at);
    const initial = toJson(state, { source: "the initial state", path: "state", isRecord: true, redact });
    return this.adopt(initial as StateValue);
  }

  /** The same over an existing state, which is shared: only the added values are checked and copied. */
  inherit(
    around: StateValue,
    added: Readonly<Record<string, unknown>>,
    at: number,
    redact?: (text: string) => string,
  ): StateValue {
    const own = toJson(added, { source: "the initial state", path: "state", isRecord: true, redact }) as JsonObject;
    return this.adopt(Object.freeze({ ...around, ...own, lastUpdated: isoTime(at) }));
  }

  /** Accepts an existing state. */
  adopt(state: StateValue): StateValue {
    for (const key of Object.keys(state)) this.#noteLists(key, state[key] as Json);
    return state;
  }

  /** The state as an author's code may see it: changing it has no effect. */
  view(state: StateValue): StateValue {
    return this.#listKeys.length === 0 ? state : viewOfRecord(state, this.#listKeys);
  }

  #noteLists(key: string, value: Json): void {
    if (typeof value !== "object" || value === null || this.#listKeys.includes(key)) return;
    if (Array.isArray(value) ? value.length > 0 : holdsLooseLists(value)) this.#listKeys.push(key);
  }

  apply(state: StateValue, update: JsonObject, at: number): StateValue {
    const next: Record<string, Json> = { ...state };
    for (const key in update) {
      if (!Object.hasOwn(update, key)) continue;
      const reducer = this.#reducers.get(key);
      const value = update[key] as Json;
      const folded = reducer === undefined ? value : reduceOne(reducer, state[key], value);
      if (typeof folded === "object") this.#noteLists(key, folded);
      next[key] = folded;
    }
    next["lastUpdated"] = isoTime(at);
    return Object.freeze(next);
  }

  /**
   * Does folding it into a state like this one only replace, append and spread? Then no author's code is called.
   */
  isSimple(update: JsonObject, state: StateValue): boolean {
    for (const key in update) {
      const own = this.#reducers.get(key);
      if (own === undefined) continue;
      const value = update[key];
      const { reducer } = own;
      if (own.writtenOut !== undefined && !isBuiltInFor(own, state[key])) return false;
      if (reducer === Reducers.merge ? !isRecord(value) : !isListFor(reducer, value)) return false;
    }
    return true;
  }

  /** The same for the changes of branches. */
  areSimple(deltas: readonly Delta[], state: StateValue): boolean {
    return deltas.every(({ combined, listed }) => listed === undefined && this.isSimple(combined, state));
  }

  /** Adds an update of the node `by` to what a branch changed so far. */
  collect(delta: Delta, update: JsonObject, at: number, by: string, isSimple = false): void {
    if (at > delta.at) delta.at = at;
    if (delta.by !== by) {
      if (delta.by !== undefined) noteWriters(delta, update, by);
      delta.by = by;
    }
    if (isSimple && delta.combined === nothing) {
      // Other code may still hold it, and its changes must not reach the join.
      delta.combined = Object.freeze(update);
      return;
    }
    this.#combine(delta, [update]);
  }

  /** Adds what branches changed to the changes of the branch that they came from. */
  absorb(target: Delta, sources: readonly Delta[]): void {
    for (const { at } of sources) if (at > target.at) target.at = at;
    this.#combine(
      target,
      sources.map((source) => source.combined),
      sources,
    );
  }

  /** `sources`: the branches that the updates come from. */
  #combine(delta: Delta, updates: readonly JsonObject[], sources?: readonly Delta[]): void {
    const combined: Record<string, Json> = { ...delta.combined };
    const parts = new Parts();
    for (let i = 0; i < updates.length; i++) {
      const update = updates[i] as JsonObject;
      for (const key of Object.keys(update)) {
        const reducer = this.#reducers.get(key);
        const value = update[key] as Json;
        if (reducer === undefined) {
          combined[key] = value;
          const writer = sources === undefined ? undefined : writerOf(sources[i] as Delta, key);
          if (writer !== undefined) (delta.writers ??= {})[key] = writer;
        } else if (!isAssociative(reducer)) listValue(delta, key, value);
        else if (Object.hasOwn(combined, key)) parts.add(reducer, value);
        else combined[key] = value;
      }
      // Those of one branch before those of the next: the first update of a branch may be in `combined`.
      const listed = sources === undefined ? undefined : (sources[i] as Delta).listed;
      if (listed === undefined) continue;
      for (const key in listed) for (const value of listed[key] as Json[]) listValue(delta, key, value);
    }
    for (const [reducer, values] of parts) {
      const { key } = reducer;
      combined[key] = reduceAll(reducer, combined[key], values);
    }
    delta.combined = combined;
  }

  /** Keys without a reducer that these branches gave different values. */
  conflicts(deltas: readonly Delta[]): readonly WriteConflict[] {
    let first: Map<string, Delta> | undefined;
    let nodes: Map<string, Set<string>> | undefined;
    for (const delta of deltas) {
      for (const key in delta.combined) {
        if (this.#reducers.has(key)) continue;
        const before = (first ??= new Map()).get(key);
        if (before === undefined) {
          first.set(key, delta);
          continue;
        }
        if (isSameJson(before.combined[key], delta.combined[key])) continue;
        const named = (nodes ??= new Map()).get(key) ?? new Set([writerOf(before, key) ?? "?"]);
        const writer = writerOf(delta, key) ?? "?";
        // The last to write it comes last.
        named.delete(writer);
        nodes.set(key, named.add(writer));
      }
    }
    return [...(nodes ?? [])].map(([key, named]) => ({ key, nodes: [...named] }));
  }

  /** What branches changed as one plain update. */
  toUpdate(deltas: readonly Delta[]): Record<string, Json> {
    const all = emptyDelta();
    this.absorb(all, deltas);
    const update = { ...all.combined };
    for (const [key, [first, ...others]] of Object.entries(all.listed ?? {}))
      update[key] = reduceAll(this.#reducers.get(key) as KeyReducer, first, others);
    return update;
  }

  /** Folds what branches changed, in the order given. */
  applyAll(state: StateValue, deltas: readonly Delta[]): StateValue {
    const next: Record<string, Json> = { ...state };
    const parts = new Parts();
    let at = 0;
    for (const delta of deltas) {
      if (delta.at > at) at = delta.at;
      const { combined, listed } = delta;
      for (const key of Object.keys(combined)) {
        const reducer = this.#reducers.get(key);
        const value = combined[key] as Json;
        if (reducer === undefined) next[key] = value;
        else parts.add(reducer, value);
      }
      for (const key in listed) {
        const reducer = this.#reducers.get(key) as KeyReducer;
        for (const value of listed[key] as Json[]) parts.add(reducer, value);
      }
    }
    for (const [reducer, values] of parts) {
      const { key } = reducer;
      next[key] = reduceAll(reducer, next[key], values);
    }
    if (at > 0) next["lastUpdated"] = isoTime(at);
    return this.adopt(Object.freeze(next));
  }
}

/** The updates of each key that has a reducer, in order. */
class Parts extends Map<KeyReducer, Json[]> {
  add(reducer: KeyReducer, value: Json): void {
    const values = this.get(reducer);
    if (values === undefined) this.set(reducer, [value]);
    else values.push(value);
  }
}

/** The branch continues with another node: earlier writes belong to the node before. */
function noteWriters(delta: Delta, update: JsonObject, by: string): void {
  const writers: Record<string, string> = { ...delta.writers };
  for (const key in delta.combined) writers[key] ??= delta.by as string;
  for (const key in update) writers[key] = by;
  delta.writers = writers;
}

function writerOf(delta: Delta, key: string): string | undefined {
  return delta.writers?.[key] ?? delta.by;
}

function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/** A hand-written append or spread behaves like the built-in one only while the updates are lists, or objects. */
function isAssociative({ reducer, writtenOut }: KeyReducer): boolean {
  return writtenOut === undefined && associativeReducers.has(reducer);
}

function listValue(delta: Delta, key: string, value: Json): void {
  delta.listed ??= {};
  (delta.listed[key] ??= []).push(value);
}

/** A list that this reducer takes without calling anything that may throw. */
function isListFor(reducer: AnyReducer, value: Json | undefined): boolean {
  if (!Array.isArray(value)) return false;
  if (reducer === Reducers.concat) return true;
  return reducer === Reducers.mergeById && (value as readonly Json[]).every(isRecord);
}

let lastIsoMs = Number.NaN;
let lastIso = "";

/** Many steps fall into one millisecond, and formatting the time is the most expensive part of a small step. */
function isoTime(ms: number): string {
  if (ms !== lastIsoMs) {
    lastIsoMs = ms;
    lastIso = new Date(ms).toISOString();
  }
  return lastIso;
}
