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

/** What the getters of a view read from. */
const held = Symbol("held");

interface LazyView {
  readonly [held]: { readonly record: JsonObject; shown: Map<string, Json> | undefined };
}

/** Copies loose lists when they are read. */
function lazyView(record: JsonObject, isLoose: (value: Json) => boolean): JsonObject {
  // Key by key: turning an existing property into a getter would take three times as long.
  const view: Record<string, Json> = {};
  Object.defineProperty(view, held, { value: { record, shown: undefined } });
  for (const key in record) {
    const value = record[key] as Json;
    if (isLoose(value)) Object.defineProperty(view, key, laterOf(key));
    else view[key] = value;
  }
  return Object.freeze(view);
}

const later = new Map<string, PropertyDescriptor & ThisType<LazyView>>();
/** More keys than any state has: lists under the keys of data, ids for example, are not worth remembering. */
const maxRemembered = 1000;

/**
 * One getter for each key, not one for each view: V8 keeps every accessor with the shape of its objects, outside of the
 * young heap, and what its closure holds with it. A loop over a growing list spent most of its time there.
 */
function laterOf(key: string): PropertyDescriptor & ThisType<LazyView> {
  const known = later.get(key);
  if (known !== undefined) return known;
  const made: PropertyDescriptor & ThisType<LazyView> = {
    enumerable: true,
    get() {
      const own = this[held];
      const shown = (own.shown ??= new Map());
      let list = shown.get(key);
      if (list === undefined) shown.set(key, (list = viewOf(own.record[key] as Json)));
      return list;
    },
  };
  if (later.size < maxRemembered) later.set(key, made);
  return made;
}
