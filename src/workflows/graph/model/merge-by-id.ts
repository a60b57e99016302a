// Merges lists by the ids of their items, for lists that grow: the positions of items are remembered from one merge to
// the next, so a loop that adds an item does not search the whole list each time.

import type { Json, JsonObject } from "../../../lib/json.ts";
import { emptyList, inheritHolder } from "../../../lib/loose-lists.ts";

type Places = Map<Json | undefined, number>;

/** The positions of a list's items by id. A merge passes it on to the list it returns, which is usually merged next. */
const placesOfLists = new WeakMap<object, Places>();
/** Shorter lists are searched just as quickly. */
const shortLength = 16;

/** The same as `Reducers.mergeById` with one update after the other. Nothing that it is given is changed. */
export function mergeListsById(current: readonly Json[] | undefined, updates: readonly Json[]): readonly Json[] {
  const merged: Json[] = current === undefined ? [] : current.concat();
  const places = takePlaces(current ?? emptyList);
  inheritHolder(merged, current);
  for (const update of updates) {
    inheritHolder(merged, update);
    for (const item of update as Iterable<JsonObject>) {
      const place = places.get(item["id"]);
      if (place === undefined) {
        places.set(item["id"], merged.length);
        merged.push(item);
      } else {
        merged[place] = mergeItems(merged[place] as JsonObject, item);
      }
    }
  }
  if (merged.length === 0) return emptyList;
  if (merged.length > shortLength) placesOfLists.set(merged, places);
  return merged;
}

function mergeItems(item: JsonObject, update: JsonObject): JsonObject {
  const merged = { ...item, ...update };
  inheritHolder(merged, item);
  inheritHolder(merged, update);
  return Object.freeze(merged);
}

function takePlaces(list: readonly Json[]): Places {
  const known = placesOfLists.get(list);
  if (known !== undefined) {
    placesOfLists.delete(list);
    return known;
  }
  return new Map(list.map((item, place) => [(item as JsonObject)["id"], place]));
}
