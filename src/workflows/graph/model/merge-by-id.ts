// Merging lists by the ids of their items, for lists that grow: where an item stands is remembered from one merge to the
// next, so that a loop that adds an item does not look through all of them each time.

import type { Json, JsonObject } from "../../../lib/json.ts";
import { emptyList, inheritHolder } from "../../../lib/loose-lists.ts";

type Places = Map<Json | undefined, number>;

/** The places of a list's items by id. It moves on to the list that a merge makes of it: that is the one merged next. */
const placesOfLists = new WeakMap<object, Places>();
/** Shorter ones are looked through as quickly. */
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
