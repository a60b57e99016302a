// Folding updates into a state. Pure and deterministic: the same updates in the same order give the same state.
// An update here was already admitted as JSON (toJson); what an author's own reducer returns is checked as well.

import { AtomicError } from "../../lib/errors.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { toJson } from "../../lib/json.ts";
import { viewOf, viewOfRecord } from "../../lib/json-view.ts";
import { emptyList, holdsLooseLists, inheritHolder } from "../../lib/loose-lists.ts";
import type { AnyAnnotation } from "./state.ts";
import { associativeReducers, builtInReducers, Reducers } from "./state.ts";

export type StateValue = JsonObject;

type AnyReducer = (current: Json | undefined, update: Json) => unknown;

/** What one branch changed since its fork: one value per key, or a list where the reducer is the author's own. */
export interface Delta {
  /** Never changed in place: the first update of a branch is kept here as it is. */
  combined: JsonObject;
  listed: Record<string, Json[]> | undefined;
  /** When the newest update came, 0 when there is none. */
  at: number;
}

const nothing: JsonObject = Object.freeze({});

export function emptyDelta(): Delta {
  return { combined: nothing, listed: undefined, at: 0 };
}

export class StateFold {
  /** Only keys whose reducer is not plain replacement are in here. */
  readonly #reducers = new Map<string, AnyReducer>();
  readonly #defaults: readonly (readonly [string, unknown])[];
  /** What authors' reducers returned before: shared, so that checking costs no more than the reducer's own work. */
  readonly #known = new WeakSet<object>();

  /** Keys that have held a list, or lists inside. Other states need no view. */
  readonly #listKeys: string[] = [];

  constructor(annotations: Readonly<Record<string, AnyAnnotation | undefined>> | undefined) {
    const defaults: [string, unknown][] = [];
    this.#reducers.set("outputs", Reducers.merge as AnyReducer);
    for (const [key, annotated] of Object.entries(annotations ?? {})) {
      if (annotated === undefined) continue;
      defaults.push([key, annotated.default]);
      if (annotated.reducer === Reducers.replace) this.#reducers.delete(key);
      else this.#reducers.set(key, annotated.reducer as AnyReducer);
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

  /** Takes in a state that was made elsewhere. */
  adopt(state: StateValue): StateValue {
    for (const key of Object.keys(state)) this.#noteLists(key, state[key] as Json);
    return state;
  }

  /** The state as an author's code may see it: what that does to it changes nothing. */
  view(state: StateValue): StateValue {
    return this.#listKeys.length === 0 ? state : viewOfRecord(state, this.#listKeys);
  }

  #noteLists(key: string, value: Json): void {
    if (typeof value !== "object" || value === null || this.#listKeys.includes(key)) return;
    if (Array.isArray(value) ? value.length > 0 : holdsLooseLists(value)) this.#listKeys.push(key);
  }

  apply(state: StateValue, update: JsonObject, at: number): StateValue {
    const next: Record<string, Json> = { ...state };
    for (const key of Object.keys(update)) {
      const reducer = this.#reducers.get(key);
      const value = update[key] as Json;
      const folded = reducer === undefined ? value : this.#reduce(key, reducer, state[key], value);
      if (typeof folded === "object") this.#noteLists(key, folded);
      next[key] = folded;
    }
    next["lastUpdated"] = isoTime(at);
    return Object.freeze(next);
  }

  /** Does folding it only replace, append and spread? Nothing an author wrote has to be called for it. */
  isSimple(update: JsonObject): boolean {
    for (const key in update) {
      const reducer = this.#reducers.get(key);
      if (reducer === undefined) continue;
      const value = update[key];
      if (reducer === Reducers.concat ? !Array.isArray(value) : reducer !== Reducers.merge || !isRecord(value))
        return false;
    }
    return true;
  }

  /** Adds an update to what a branch changed so far. */
  collect(delta: Delta, update: JsonObject, at: number, isSimple = false): void {
    if (at > delta.at) delta.at = at;
    if (isSimple && delta.combined === nothing) {
      // Others may still hold it, and what they do to it must not reach the join.
      delta.combined = Object.freeze(update);
      return;
    }
    const combined: Record<string, Json> = { ...delta.combined };
    for (const key of Object.keys(update)) {
      const reducer = this.#reducers.get(key);
      const value = update[key] as Json;
      if (reducer === undefined) {
        combined[key] = value;
      } else if (!associativeReducers.has(reducer)) {
        delta.listed ??= {};
        (delta.listed[key] ??= []).push(value);
      } else {
        combined[key] = Object.hasOwn(combined, key) ? this.#reduce(key, reducer, combined[key], value) : value;
      }
    }
    delta.combined = combined;
  }

  /** Adds what a branch changed to what the branch it came from did. */
  absorb(target: Delta, source: Delta): void {
    this.collect(target, source.combined, source.at);
    for (const [key, values] of Object.entries(source.listed ?? {})) {
      target.listed ??= {};
      const list = (target.listed[key] ??= []);
      // One by one: a call can't take as many values as a long loop leaves.
      for (const value of values) list.push(value);
    }
  }

  /** What branches changed as one plain update. */
  toUpdate(deltas: readonly Delta[]): Record<string, Json> {
    const all = emptyDelta();
    for (const delta of deltas) this.absorb(all, delta);
    const update = { ...all.combined };
    for (const [key, values] of Object.entries(all.listed ?? {})) {
      const reducer = this.#reducers.get(key) as AnyReducer;
      update[key] = values.reduce((reduced, value) => this.#reduce(key, reducer, reduced, value));
    }
    return update;
  }

  /** Folds what branches changed, in the order given. */
  applyAll(state: StateValue, deltas: readonly Delta[]): StateValue {
    const next: Record<string, Json> = { ...state };
    const appended = new Map<string, Json[][]>();
    let at = 0;
    for (const delta of deltas) {
      if (delta.at > at) at = delta.at;
      for (const key of Object.keys(delta.combined)) {
        const reducer = this.#reducers.get(key);
        const value = delta.combined[key] as Json;
        if (reducer === undefined) next[key] = value;
        // Many branches that append are joined in one go: one by one would copy the list once per branch.
        else if (reducer === Reducers.concat) append(appended, key, value as Json[]);
        else next[key] = this.#reduce(key, reducer, next[key], value);
      }
      for (const key of Object.keys(delta.listed ?? {})) {
        const reducer = this.#reducers.get(key) as AnyReducer;
        for (const value of delta.listed?.[key] ?? []) next[key] = this.#reduce(key, reducer, next[key], value);
      }
    }
    for (const [key, parts] of appended) next[key] = joined((next[key] ?? []) as Json[], parts);
    if (at > 0) next["lastUpdated"] = isoTime(at);
    return this.adopt(Object.freeze(next));
  }

  #reduce(key: string, reducer: AnyReducer, current: Json | undefined, update: Json): Json {
    let reduced: unknown;
    const isOwn = !builtInReducers.has(reducer);
    try {
      // An author's reducer may change what it is given, which others still hold.
      reduced = isOwn
        ? reducer(current === undefined ? current : viewOf(current), viewOf(update))
        : reducer(current, update);
    } catch (thrown) {
      throw new AtomicError("NODE_FAILED", `the reducer of state key "${key}" threw: ${String(thrown)}`, {
        cause: thrown,
      });
    }
    // What counters and flags return needs no check, except for minus zero and what is not finite.
    if (typeof reduced === "boolean" || (Number.isFinite(reduced) && reduced !== 0)) return reduced as number | boolean;
    // Built from values that were admitted before; only what holds them is new.
    if (Array.isArray(reduced) && reducer === Reducers.concat) {
      if (reduced.length === 0) return emptyList;
      inheritHolder(reduced, current);
      inheritHolder(reduced, update);
      return reduced as Json;
    }
    if (typeof reduced === "object" && reduced !== null && reducer === Reducers.merge) {
      inheritHolder(reduced, current);
      inheritHolder(reduced, update);
      return Object.freeze(reduced as JsonObject);
    }
    return toJson(reduced, { source: `the reducer of state key "${key}"`, path: key, known: this.#known });
  }
}

function isRecord(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function append(appended: Map<string, Json[][]>, key: string, part: Json[]): void {
  const parts = appended.get(key);
  if (parts === undefined) appended.set(key, [part]);
  else parts.push(part);
}

/** The same as appending one part after the other. Not by a call with all of them: there may be too many for one. */
function joined(current: readonly Json[], parts: readonly Json[][]): readonly Json[] {
  const all = [...current];
  inheritHolder(all, current);
  for (const part of parts) {
    inheritHolder(all, part);
    if (Array.isArray(part)) for (const item of part) all.push(item);
    else all.push(part);
  }
  return all.length === 0 ? emptyList : all;
}

let lastIsoMs = Number.NaN;
let lastIso = "";

/** Many steps fall into one millisecond, and making the text is the dearest part of a small step. */
function isoTime(ms: number): string {
  if (ms !== lastIsoMs) {
    lastIsoMs = ms;
    lastIso = new Date(ms).toISOString();
  }
  return lastIso;
}
