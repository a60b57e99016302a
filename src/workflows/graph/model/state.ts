// The state of a run: its base shape, annotations and the ten reducers. How updates are folded is in fold.ts.
// Reducers are pure: the same recorded updates must give the same state, today and on resume.

/** The keys of every state. The engine maintains `lastUpdated`; a result without a mapper goes to `outputs[id]`. */
export interface BaseState {
  executionId: string;
  lastUpdated?: string;
  outputs: Record<string, unknown>;
}

/** The same type, under the name that workflow files use. */
export type WorkflowState = BaseState;

/** What a node returns: only the keys that it changes. Properties that are `undefined` are dropped. */
export type StateUpdate<S> = { readonly [K in keyof S]?: S[K] | undefined };

/** The same where an author's function returns it: the state's type comes from around a node, never from one update. */
export type ReturnedUpdate<S> = NoInfer<StateUpdate<S>>;

export type Reducer<T> = (current: T, update: T) => T;

export interface Annotation<T> {
  readonly default: T | (() => T);
  readonly reducer: Reducer<T>;
}

// `any` would switch checking off; `never` keeps annotations of every type assignable here.
export type AnyAnnotation = { readonly default: unknown; readonly reducer: (current: never, update: never) => unknown };

/** Annotations by key. A key of the state without one is replaced by each update. */
export type StateAnnotations<S extends object = Record<string, unknown>> = {
  readonly [K in keyof S]?: unknown extends S[K] ? AnyAnnotation : Annotation<Exclude<S[K], undefined>>;
};

/** The state type that annotations describe. */
export type StateOf<A extends Record<string, AnyAnnotation>> = BaseState & {
  -readonly [K in keyof A]: A[K] extends Annotation<infer T> ? T : never;
};

export function annotation<T>(defaultValue: T | (() => T), reducer: Reducer<NoInfer<T>> = replace): Annotation<T> {
  return { default: defaultValue, reducer };
}

function replace<T>(_current: T, update: T): T {
  return update;
}

function concat<T>(current: readonly T[], update: readonly T[]): T[] {
  return current === undefined ? [...update] : current.concat(update);
}

function merge<T extends object>(current: T, update: Partial<T>): T {
  return { ...current, ...update };
}

/** Items with the same `id` are merged in place; new ones go to the end. */
function mergeById<T extends { id: string | number }>(current: readonly T[], update: readonly T[]): T[] {
  const merged = [...(current ?? [])];
  const places = new Map(merged.map((item, place) => [item.id, place]));
  for (const item of update) {
    const place = places.get(item.id);
    if (place === undefined) {
      places.set(item.id, merged.length);
      merged.push(item);
    } else {
      merged[place] = { ...merged[place], ...item };
    }
  }
  return merged;
}

function max(current: number, update: number): number {
  return current === undefined ? update : Math.max(current, update);
}

function min(current: number, update: number): number {
  return current === undefined ? update : Math.min(current, update);
}

function sum(current: number, update: number): number {
  return (current ?? 0) + update;
}

function or(current: boolean, update: boolean): boolean {
  return current || update;
}

function and(current: boolean, update: boolean): boolean {
  return (current ?? true) && update;
}

/** Replaces, but keeps what is there when the update is null. */
function ifDefined<T>(current: T, update: T | null | undefined): T {
  return update === null || update === undefined ? current : update;
}

export const Reducers = { replace, concat, merge, mergeById, max, min, sum, or, and, ifDefined };

/** They never change their arguments. */
export const builtInReducers: ReadonlySet<unknown> = new Set<unknown>(Object.values(Reducers));

/**
 * Reducers where folding two updates one after the other equals folding their combination. A branch keeps one
 * combined update per key for these, so that a long loop in a branch stays small, and a list for the others: an
 * author's own, and sums, because (0.1 + 0.2) + 0.3 is not 0.1 + (0.2 + 0.3).
 */
export const associativeReducers: ReadonlySet<unknown> = new Set<unknown>(
  Object.values(Reducers).filter((reducer) => reducer !== sum),
);

/** The annotations behind BaseState; spread them into your own to state them explicitly. */
export const AtomicStateAnnotation = {
  executionId: annotation<string>(""),
  lastUpdated: annotation<string>(""),
  outputs: annotation<Record<string, unknown>>(() => ({}), merge),
};
