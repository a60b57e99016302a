// Views of JSON values that the engine still needs, for an author's code. A value that is frozen all the way down is
// its own view; loose lists (loose-lists.ts) are copied, so that changing one changes only the copy. Long lists are
// copied when they are read, so what is not read costs little.

import type { Json, JsonObject } from "./json.ts";
import { holdsLooseLists, isShort } from "./loose-lists.ts";

/** A view of one value that `toJson` returned. */
export function viewOf<T extends Json>(value: T): T;
export function viewOf(value: Json): Json {
  return isList(value) ? copyOf(value) : viewOfPart(value);
}

/** A view of a state or an update: an object whose properties are values. Only the given keys may hold loose lists. */
export function viewOfRecord<T extends JsonObject>(record: T, keys?: readonly string[]): T;
export function viewOfRecord(record: JsonObject, keys?: readonly string[]): JsonObject {
  if (keys === undefined && isFlat(record)) return record;
  let view: Record<string, Json> | undefined;
  for (const key of keys ?? Object.keys(record)) {
    const value = record[key];
    if (value === undefined || !isLooseValue(value)) continue;
    if (!isCheap(value)) return lazyView(record, isLooseValue);
    view ??= { ...record };
    view[key] = copyOf(value);
  }
  return view === undefined ? record : Object.freeze(view);
}

/** Most updates are flat, and a stream views one for each step. */
function isFlat(record: JsonObject): boolean {
  for (const key in record) if (typeof record[key] === "object" && record[key] !== null) return false;
  return true;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Every empty list is the same frozen one. */
function isLooseValue(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isList(value) ? value.length > 0 : holdsLooseLists(value);
}

/** The same for what is inside a value: short lists are frozen there. */
function isLoosePart(part: Json): boolean {
  if (typeof part !== "object" || part === null) return false;
  return holdsLooseLists(part) || (isList(part) && !isShort(part));
}

/** Defining a getter takes as long as copying this many items. */
function isCheap(value: Json): value is readonly Json[] {
  return isList(value) && value.length <= 256 && !holdsLooseLists(value);
}

function copyOf(list: readonly Json[]): readonly Json[] {
  if (list.length === 0) return list;
  // Not by slice: in JavaScriptCore that takes more than twice as long for long lists.
  return holdsLooseLists(list) ? list.map(viewOfPart) : list.concat();
}

function viewOfPart(part: Json): Json {
  if (!isLoosePart(part)) return part;
  return isList(part) ? copyOf(part) : lazyView(part as JsonObject, isLoosePart);
}

/** Copies loose lists when they are read. */
function lazyView(record: JsonObject, isLoose: (value: Json) => boolean): JsonObject {
  // Key by key: turning an existing property into a getter would take three times as long.
  const view: Record<string, Json> = {};
  for (const key in record) {
    const value = record[key] as Json;
    if (isLoose(value)) showLater(view, key, value);
    else view[key] = value;
  }
  return Object.freeze(view);
}

function showLater(view: Record<string, Json>, key: string, value: Json): void {
  let shown: Json | undefined;
  Object.defineProperty(view, key, { enumerable: true, get: () => (shown ??= viewOf(value)) });
}
