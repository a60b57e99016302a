// JSON at run time: the type, and the one function that lets a value into a state or a journal.
// It copies (so that the author's later changes to the object can't reach what was recorded), freezes the objects of
// the copy (so that a node that writes to `ctx.state` fails at that line) and refuses what would not survive a round
// trip. Short lists inside the value are frozen too. Other lists stay loose, because in JavaScriptCore freezing a list
// costs 300 ns per item; what hands them to an author's code uses json-view.ts.

import { AtomicError } from "./errors.ts";
import { emptyList, holdsLooseLists, isShort, noteHolder } from "./loose-lists.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Keys that reach a prototype when a merge is careless. No state needs them. */
const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

// Deep enough for any document, shallow enough that the recursion below can't exhaust the stack.
const maxDepth = 500;

export interface ToJsonOptions {
  /** What produced the value, for the error: `node "plan"`. */
  source: string;
  /** The path of the value inside its source: `stateUpdate`. */
  path: string;
  /** Applied to every string before it is stored, so that secrets never reach a state or a journal. */
  redact?: ((text: string) => string) | undefined;
  /** Do not freeze the outermost object, because the caller unpacks it at once. What is in it is frozen. */
  isContainer?: boolean | undefined;
  /** The value is a state or an update: each of its properties is a separate value. */
  isRecord?: boolean | undefined;
  /** Freeze arrays too. Tests do. */
  freezeArrays?: boolean | undefined;
  /** Earlier copies, which are shared inside the value instead of copied again. New copies are added. */
  known?: (Pick<WeakSet<object>, "has"> & { add(value: object): unknown }) | undefined;
}

/**
 * A frozen JSON copy of `value`. Properties that are `undefined` are dropped; anything else that is not JSON throws.
 */
export function toJson(value: JsonObject, options: ToJsonOptions): JsonObject;
export function toJson(value: unknown, options: ToJsonOptions): Json;
export function toJson(value: unknown, options: ToJsonOptions): Json {
  return copy(value, options, undefined, 0);
}

/** A path as a linked list, formatted only for an error. */
interface Trail {
  readonly parent: Trail | undefined;
  readonly key: string | number;
}

function copy(value: unknown, options: ToJsonOptions, trail: Trail | undefined, depth: number): Json {
  switch (typeof value) {
    case "string":
      return options.redact === undefined ? value : options.redact(value);
    case "boolean":
      return value;
    case "number":
      // JSON turns minus zero into zero; adding zero does the same.
      if (Number.isFinite(value)) return value + 0;
      return refuse(`${String(value)} is not a JSON number`, options, trail);
    case "object":
      if (value === null) return null;
      return copyObject(value, options, trail, depth);
    case "undefined":
      return refuse("undefined is not a JSON value here; use null, or leave the property out", options, trail);
    case "bigint":
      return refuse("a BigInt is not JSON; use a number or a string", options, trail);
    case "function":
      return refuse("a function is not JSON; keep it in the workflow's code, not in its state", options, trail);
    case "symbol":
      return refuse("a symbol is not JSON", options, trail);
  }
}

/** The number of loose lists so far. If it grows while an object is copied, that object holds loose lists. */
let looseLists = 0;

function copyObject(value: object, options: ToJsonOptions, trail: Trail | undefined, depth: number): Json {
  if (depth > 0 && options.known?.has(value)) {
    if (isLoose(value)) looseLists++;
    return value as Json;
  }
  if (depth > maxDepth) {
    return refuse(
      isCyclic(value) ? "the value contains itself (a cycle)" : `nested deeper than ${maxDepth} levels`,
      options,
      trail,
    );
  }
  const before = looseLists;
  const isList = Array.isArray(value);
  const copied = isList ? copyArray(value, options, trail, depth) : copyRecord(value, options, trail, depth);
  settle(copied, options, depth, looseLists > before);
  options.known?.add(copied);
  return copied;
}

/** Freezes a copy, or notes that it holds loose lists. Its parts are settled before it. */
function settle(value: readonly Json[] | JsonObject, options: ToJsonOptions, depth: number, isHolder: boolean): void {
  if (isHolder && (depth > 0 || options.isRecord !== true)) noteHolder(value);
  if (!isList(value)) {
    if (depth > 0 || options.isContainer !== true) Object.freeze(value);
  } else if (mayFreeze(value, options, depth)) {
    Object.freeze(value);
  } else if (value !== emptyList) {
    looseLists++;
  }
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Does what `toJson` does, without a copy, for a value that was just parsed from JSON and that no other code holds: it
 * freezes the value itself. So reading a large state back costs little more than parsing it.
 */
export function adoptParsed(
  value: JsonObject,
  options: Pick<ToJsonOptions, "source" | "path" | "isRecord">,
): JsonObject;
export function adoptParsed(value: Json, options: Pick<ToJsonOptions, "source" | "path" | "isRecord">): Json;
export function adoptParsed(value: Json, options: Pick<ToJsonOptions, "source" | "path" | "isRecord">): Json {
  if (typeof value !== "object" || value === null) return value;
  // A frozen value was handed out before, and may be shared. Looking at each object inside would take a quarter of the
  // time, and what is frozen in there was adopted with it.
  return Object.isFrozen(value) ? copy(value, options, undefined, 0) : adopt(value, options, 0);
}

/** Writes only what changes: most of a state stays as it was parsed. */
function adopt(value: readonly Json[] | JsonObject, options: ToJsonOptions, depth: number): Json {
  if (depth > maxDepth) return copy(value, options, undefined, depth);
  const before = looseLists;
  if (Array.isArray(value)) {
    if (value.length === 0) return emptyList;
    const list: Json[] = value;
    for (let i = 0; i < list.length; i++) {
      const item = list[i]!;
      if (typeof item !== "object" || item === null) continue;
      const adopted = adopt(item, options, depth + 1);
      if (adopted !== item) list[i] = adopted;
    }
  } else {
    const record = value as Record<string, Json>;
    for (const key in record) {
      if (isForbidden(key)) return copy(value, options, undefined, depth);
      const item = record[key]!;
      if (typeof item !== "object" || item === null) continue;
      const adopted = adopt(item, options, depth + 1);
      if (adopted !== item) record[key] = adopted;
    }
  }
  settle(value, options, depth, looseLists > before);
  return value;
}

function isLoose(value: object): boolean {
  return Array.isArray(value) ? !Object.isFrozen(value) : holdsLooseLists(value);
}

/** Short lists inside a value are frozen. A list that is the value itself is usually merged into another at once. */
function mayFreeze(list: readonly Json[], options: ToJsonOptions, depth: number): boolean {
  return options.freezeArrays === true || (depth > (options.isRecord === true ? 1 : 0) && isShort(list));
}

function copyArray(
  value: readonly unknown[],
  options: ToJsonOptions,
  trail: Trail | undefined,
  depth: number,
): readonly Json[] {
  if (value.length === 0) return emptyList;
  const copied: Json[] = [];
  for (let i = 0; i < value.length; i++) {
    const item = value[i];
    // Only values that can fail, or that hold such values, need their path.
    copied.push(isPlain(item, options.redact) ? item : copy(item, options, { parent: trail, key: i }, depth + 1));
  }
  return copied;
}

function copyRecord(value: object, options: ToJsonOptions, trail: Trail | undefined, depth: number): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !isForeignPlainObject(prototype)) {
    return refuse(`${describeInstance(value)} is not plain JSON`, options, trail);
  }
  const copied: Record<string, Json> = {};
  // Not with Object.keys: on Node that list takes a third of the time of copying a small update.
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const item = (value as Record<string, unknown>)[key];
    if (isForbidden(key)) {
      return refuse(`the key "${key}" is not allowed, because it can reach an object's prototype`, options, {
        parent: trail,
        key,
      });
    }
    if (item === undefined) continue;
    copied[key] = isPlain(item, options.redact) ? item : copy(item, options, { parent: trail, key }, depth + 1);
  }
  return copied;
}

/**
 * Does what `toJson` does for an object of plain values, without freezing it. Copies first and checks then, because
 * most
 * updates are small and plain. Undefined for anything else.
 */
export function copyFlat(value: object, redact: ToJsonOptions["redact"]): JsonObject | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const copied = { ...value } as Record<string, unknown>;
  for (const key in copied) if (!isPlain(copied[key], redact) || isForbidden(key)) return undefined;
  return copied as JsonObject;
}

/** Only keys with the length of a forbidden one are looked up. */
function isForbidden(key: string): boolean {
  return (key.length === 9 || key.length === 11) && forbiddenKeys.has(key);
}

/** True for a value that needs no copy and no redaction. */
function isPlain(value: unknown, redact: ToJsonOptions["redact"]): value is string | number | boolean | null {
  switch (typeof value) {
    case "string":
      return redact === undefined;
    case "number":
      return Number.isFinite(value) && (value !== 0 || Object.is(value, 0));
    case "boolean":
      return true;
    default:
      return value === null;
  }
}

/** Objects from another realm (a vm context, a worker message) have their own Object.prototype. */
function isForeignPlainObject(prototype: unknown): boolean {
  return (
    typeof prototype === "object" &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "hasOwnProperty")
  );
}

function describeInstance(value: object): string {
  if (value instanceof Date) return "a Date (store value.toISOString())";
  if (value instanceof Map) return "a Map (store Object.fromEntries(map))";
  if (value instanceof Set) return "a Set (store [...set])";
  if (value instanceof Error) return "an Error (store its message)";
  if (typeof (value as { then?: unknown }).then === "function") return "a Promise (an await is missing)";
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : "an object with a prototype of its own";
}

function isCyclic(start: object): boolean {
  const path = new Set<object>();
  // Each value is walked once, even if it is shared many times.
  const done = new Set<object>();
  const visit = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null || done.has(value)) return false;
    if (path.has(value)) return true;
    if (path.size > maxDepth) return false;
    path.add(value);
    const found = Object.values(value).some(visit);
    path.delete(value);
    done.add(value);
    return found;
  };
  return visit(start);
}

function refuse(problem: string, options: ToJsonOptions, trail: Trail | undefined): never {
  const path = options.path + spell(trail);
  throw new AtomicError("NOT_JSON", `${options.source}: ${path}: ${problem}.`, {
    details: { source: options.source, path, problem },
  });
}

function spell(trail: Trail | undefined): string {
  const parts: string[] = [];
  for (let at = trail; at !== undefined; at = at.parent) {
    parts.unshift(
      typeof at.key === "number"
        ? `[${at.key}]`
        : /^[A-Za-z_$][\w$]*$/.test(at.key)
          ? `.${at.key}`
          : `[${JSON.stringify(at.key)}]`,
    );
    if (parts.length > 12) return `.….${parts.slice(1).join("").replace(/^\./, "")}`;
  }
  return parts.join("");
}
