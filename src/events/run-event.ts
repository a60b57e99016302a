// The union of all events that a journal may hold: those of the engine, those that the layers above report, and those
// of workflow authors, which have a separate type (`custom`) and can't be mistaken for any other.
//
// `readEvent` is the only way from a stored record to the union. It never throws: an event of an unknown type, or one
// that lacks a required field, is `unknown`, and folds ignore it.

import type { JournalEvent, StoredEvent } from "../journal/port.ts";
import type { JsonObject } from "../lib/json.ts";
import type { authorEvents } from "./author-events.ts";
import type { EventsOf } from "./define-events.ts";
import type { EngineEvent } from "./engine-events.ts";
import { authorShapes, engineShapes, reportedShapes } from "./event-shapes.ts";
import { faultIn, type FieldChecks } from "./field-check.ts";
import { checksOf, type FieldShapes } from "./field-shape.ts";
import type { ReportedEvent } from "./reported-events.ts";

export type CustomEvent = EventsOf<typeof authorEvents>;

/** Number and time, which every stored event has. A type and not an interface: it is part of a record. */
export type EventStamp = {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/** Stored by a later version, by an author under a custom name in an earlier one, or by no version at all. */
export type UnknownEvent = EventStamp & { readonly type: "unknown"; readonly stored: StoredEvent };

export type KnownEvent = EventStamp & (EngineEvent | ReportedEvent | CustomEvent);

export type RunEvent = KnownEvent | UnknownEvent;

export type RunEventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

/** The number in the schema's name. Raised when a field or a type changes its meaning; new ones don't raise it. */
export const runEventVersion = 1;

const checks = new Map<string, FieldChecks>();

/** Made once. Undefined: no event has this type. */
function checksOfType(type: string): FieldChecks | undefined {
  let made = checks.get(type);
  if (made === undefined) {
    const family = [engineShapes, reportedShapes, authorShapes].find((shapes) => Object.hasOwn(shapes, type));
    if (family === undefined) return undefined;
    made = checksOf(JSON.parse(family[type] ?? "{}") as FieldShapes);
    checks.set(type, made);
  }
  return made;
}

export function isEngineType(type: string): boolean {
  return Object.hasOwn(engineShapes, type);
}

export function isEngineEvent(event: RunEvent): event is EventStamp & EngineEvent {
  return isEngineType(event.type);
}

export function isReportedType(type: string): boolean {
  return Object.hasOwn(reportedShapes, type);
}

/** Names that an author's own event can't have. */
export function isReserved(name: string): boolean {
  return checksOfType(name) !== undefined || name === "unknown";
}

/** The name of the first invalid field of a reported event. */
export function reportedFault(event: JsonObject & { readonly type: string }): string | undefined {
  if (!isReportedType(event.type)) return "type";
  const fields = checksOfType(event.type);
  return fields === undefined ? "type" : faultIn(fields, event);
}

/**
 * Only for events that this process creates, on their way to its journal and its listeners: `reportedFault` has checked
 * those of nodes, and the others are built here. Checking every event of a run two or three times would be too slow.
 */
export function isCheckedReport<E extends JournalEvent>(event: E): event is E & ReportedEvent {
  return isReportedType(event.type);
}

/** The same object if it is valid; a copy without the optional fields that are not. */
export function readEvent(stored: StoredEvent): RunEvent {
  const fields = checksOfType(stored.type);
  if (fields === undefined) return unknown(stored);
  for (let event = stored; ;) {
    if (fits(event, fields)) return event;
    const fault = faultIn(fields, event);
    if (fault === undefined || fields[fault]?.isOptional !== true) return unknown(stored);
    event = without(event, fault);
  }
}

export async function* readEvents(events: AsyncIterable<StoredEvent>): AsyncGenerator<RunEvent> {
  for await (const stored of events) yield readEvent(stored);
}

/** The event as stored. */
export function storedOf(event: RunEvent): StoredEvent {
  return event.type === "unknown" ? event.stored : event;
}

function fits(event: StoredEvent, fields: FieldChecks): event is StoredEvent & KnownEvent {
  return faultIn(fields, event) === undefined;
}

function without(event: StoredEvent, field: string): StoredEvent {
  const { seq, at, type } = event;
  return { ...Object.fromEntries(Object.entries(event).filter(([name]) => name !== field)), seq, at, type };
}

function unknown(stored: StoredEvent): UnknownEvent {
  return { type: "unknown", seq: stored.seq, at: stored.at, stored };
}
