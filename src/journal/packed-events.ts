// A shorter form of the most frequent events: the start and the end of a visit. Their key already contains node and
// visit, and their time is close to the record's. All other events are stored unchanged. This file knows the shape of
// these events, not their meaning.
//
// Invariant: unpacking gives back the same JSON, byte for byte. An event that the short form can't express exactly
// is stored unchanged. A packed event is a list, which no event is:
//   [0, KEY, AGE, ATTEMPT]             node.started
//   [1, KEY, AGE, ATTEMPT, UPDATE?]    node.finished
// AGE is how many milliseconds the event is older than its record. [0, KEY] is short for age 0 and attempt 1.

import type { Json, JsonObject } from "../lib/json.ts";
import type { JournalEvent } from "./port.ts";

const types = ["node.started", "node.finished"] as const;
const head = ["type", "key", "node", "visit", "attempt"] as const;

export type PackedEvent = readonly Json[];

export function packEvents(events: readonly JournalEvent[], at: number): readonly (JournalEvent | PackedEvent)[] {
  return events.map((event) => pack(event, at) ?? event);
}

/** Undefined when the text holds something that is neither an event nor a packed one. */
export function unpackEvents(stored: unknown, at: number): readonly JournalEvent[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const events: JournalEvent[] = [];
  for (const each of stored as readonly unknown[]) {
    const event = Array.isArray(each) ? unpack(each, at) : each;
    if (typeof event !== "object" || event === null) return undefined;
    events.push(event as JournalEvent);
  }
  return events;
}

function pack(event: JournalEvent, at: number): PackedEvent | undefined {
  const code = types.indexOf(event.type as (typeof types)[number]);
  if (code < 0) return undefined;
  // The members in their order; those that are undefined are not stored.
  let place = 0;
  let hasUpdate = false;
  for (const name in event) {
    if (event[name] === undefined) continue;
    if (place < head.length) {
      if (name !== head[place++]) return undefined;
    } else if (place === head.length && name === "update" && code === 1 && !hasUpdate) hasUpdate = true;
    else if (place === head.length && name === "at") place++;
    else return undefined;
  }
  const { key, attempt, at: time } = event;
  if (place !== head.length + 1 || typeof key !== "string" || typeof time !== "number") return undefined;
  const visited = readKey(key);
  if (visited?.node !== event["node"] || visited?.visit !== event["visit"]) return undefined;
  const age = at - time;
  if (!Number.isSafeInteger(age) || !Number.isSafeInteger(time) || !Number.isSafeInteger(attempt)) return undefined;
  if (hasUpdate) return [code, key, age, attempt as number, event["update"] as Json];
  return age === 0 && attempt === 1 ? [code, key] : [code, key, age, attempt as number];
}

function unpack([code, key, age = 0, attempt = 1, update]: readonly unknown[], at: number): JsonObject | undefined {
  const type = types[code as number];
  const visited = typeof key === "string" ? readKey(key) : undefined;
  if (type === undefined || visited === undefined || typeof age !== "number") return undefined;
  const event: Record<string, Json> = { type, key: key as string, ...visited, attempt: attempt as number };
  if (update !== undefined) event["update"] = update as Json;
  event["at"] = at - age;
  return event;
}

/** `fork#1/left/work#2` is visit 2 of `work`. Undefined for a key that does not end like that. */
function readKey(key: string): { readonly node: string; readonly visit: number } | undefined {
  const end = key.lastIndexOf("#");
  const visit = Number(key.slice(end + 1));
  if (end < 0 || !Number.isSafeInteger(visit) || String(visit) !== key.slice(end + 1)) return undefined;
  return { node: key.slice(key.lastIndexOf("/", end) + 1, end), visit };
}
