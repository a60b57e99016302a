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
  /** Where the value comes from, for the error: `node "plan"`. */
  source: string;
  /** The path of the value inside its source: `stateUpdate`. */
  path: string;
  /** Applied to every string before it is stored, so that secrets never reach a state or a journal. */
  redact?: ((text: string) => string) | undefined;
  /** The outermost object is unpacked at once: it need not be frozen. What is in it is. */
  isContainer?: boolean | undefined;
  /** The value is a state or an update: each of its properties is a separate value. */
  isRecord?: boolean | undefined;
  /** Freeze arrays too. Tests do. */
  freezeArrays?: boolean | undefined;
  /** Objects that were copied here before. Inside the value they are shared instead of copied again; copies are added. */
  known?: (Pick<WeakSet<object>, "has"> & { add(value: object): unknown }) | undefined;
}

/** A frozen JSON copy of `value`. Properties that are `undefined` are dropped; anything else that is not JSON throws. */
export function toJson(value: JsonObject, options: ToJsonOptions): JsonObject;
export function toJson(value: unknown, options: ToJsonOptions): Json;
export function toJson(value: unknown, options: ToJsonOptions): Json {
  return copy(value, options, undefined, 0);
}

/** A path kept as a list while all is well, and spelled out only for an error. */
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
      // Minus zero would come back as zero; adding zero makes it so now.
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

/** Loose lists that were made or shared so far. What it counts up while an object is copied is inside that object. */
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

/** Freezes what is frozen for good, and notes what holds loose lists. What is in it is settled. */
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
 * What `toJson` gives for a value that was parsed from JSON a moment ago and that no other code holds, without copying
 * it: it is frozen where it is. A large state that is read back is as good as there once it is parsed.
 */
export function adoptParsed(
  value: JsonObject,
  options: Pick<ToJsonOptions, "source" | "path" | "isRecord">,
): JsonObject;
export function adoptParsed(value: Json, options: Pick<ToJsonOptions, "source" | "path" | "isRecord">): Json;
export function adoptParsed(value: Json, options: Pick<ToJsonOptions, "source" | "path" | "isRecord">): Json {
  return typeof value === "object" && value !== null ? adopt(value, options, 0) : value;
}

function adopt(value: readonly Json[] | JsonObject, options: ToJsonOptions, depth: number): Json {
  // It was handed out before, and may be shared.
  if (depth > maxDepth || Object.isFrozen(value)) return copy(value, options, undefined, depth);
  const before = looseLists;
  if (Array.isArray(value)) {
    if (value.length === 0) return emptyList;
    const list: Json[] = value;
    for (let i = 0; i < list.length; i++) {
      const item = list[i]!;
      if (typeof item === "object" && item !== null) list[i] = adopt(item, options, depth + 1);
    }
  } else {
    const record = value as Record<string, Json>;
    for (const key in record) {
      if (isForbidden(key)) return copy(value, options, undefined, depth);
      const item = record[key]!;
      if (typeof item === "object" && item !== null) record[key] = adopt(item, options, depth + 1);
    }
  }
  settle(value, options, depth, looseLists > before);
  return value;
}

function isLoose(value: object): boolean {
  return Array.isArray(value) ? !Object.isFrozen(value) : holdsLooseLists(value);
}

/** Short lists inside a value are frozen for good. The value's own list is mostly folded into another one at once. */
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
    // Only what can fail, or hold something that can, needs to know where it is.
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
  // Not by a list of the keys: on Node making one is a third of the copy of a small update.
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
 * What `toJson` gives for an object of plain values, not frozen: copied at once, and then looked at, because most updates
 * hold a few of those. Undefined when there is more to it.
 */
export function copyFlat(value: object, redact: ToJsonOptions["redact"]): JsonObject | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const copied = { ...value } as Record<string, unknown>;
  for (const key in copied) if (!isPlain(copied[key], redact) || isForbidden(key)) return undefined;
  return copied as JsonObject;
}

/** Few keys have the length of one that is forbidden, and only those are looked up. */
function isForbidden(key: string): boolean {
  return (key.length === 9 || key.length === 11) && forbiddenKeys.has(key);
}

/** Stored as it is, whatever surrounds it. */
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
  // Seen to the end once is enough: a value that is shared many times must not be walked as often.
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
