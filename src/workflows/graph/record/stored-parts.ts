// Parts of what a store returns, and of what listeners see.

import { isCheckedReport, readEvent, type RunEvent } from "../../../events/run-event.ts";
import type { StoredEvent } from "../../../journal/port.ts";
import { isJsonObject } from "../../../lib/is-record.ts";
import type { Json } from "../../../lib/json.ts";
import { viewOfRecord } from "../../../lib/json-view.ts";

/** Of an object or a list. */
export function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Only the texts of it. */
export function textsIn(value: Json | undefined): readonly (readonly [string, string])[] {
  return entriesOf(value).flatMap(([key, each]) => (typeof each === "string" ? [[key, each] as const] : []));
}

/**
 * An event that was just stored, for listeners. The update of a node is in the state as well: what a listener does to it
 * must not reach there.
 */
export function shown(event: StoredEvent): RunEvent {
  if (isCheckedReport(event)) return event;
  const { update } = event;
  return readEvent(isJsonObject(update) ? { ...event, update: viewOfRecord(update) } : event);
}
