// The one union of everything a journal may hold: what the engine appends, what the layers above report, and the events
// of workflow authors, which have a separate type (`custom`) and can't be mistaken for any other.
//
// `readEvent` is the only way from a stored record to the union. It never throws: an event of a type that this version
// does not know, or one that lacks what its type needs, is `unknown` and folds to nothing.

import type { JournalEvent, StoredEvent } from "../journal/port.ts";
import type { JsonObject } from "../lib/json.ts";
import { defineEvents, type EventDefinition, type EventsOf, eventFieldsOf } from "./define-events.ts";
import { type EngineEvent, engineEvents } from "./engine-events.ts";
import { faultIn, type EventFields, jsonField, textField } from "./field.ts";
import { type ReportedEvent, reportedEvents } from "./reported-events.ts";

export const authorEvents = defineEvents({
  custom: {
    note: "An event of the workflow's author: what a node handed to `ctx.emit`.",
    fields: () => ({
      key: textField(),
      node: textField(),
      name: textField("The name that the author gave it."),
      data: jsonField("The data that was emitted with it."),
    }),
  },
});

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

export const eventDefinitions: Readonly<Record<KnownEvent["type"], EventDefinition>> = {
  ...engineEvents,
  ...reportedEvents,
  ...authorEvents,
};

const definitions: ReadonlyMap<string, EventDefinition> = new Map(Object.entries(eventDefinitions));

export function isEngineType(type: string): boolean {
  return Object.hasOwn(engineEvents, type);
}

export function isEngineEvent(event: RunEvent): event is EventStamp & EngineEvent {
  return isEngineType(event.type);
}

export function isReportedType(type: string): boolean {
  return Object.hasOwn(reportedEvents, type);
}

/** Names that an author's own event can't have. */
export function isReserved(name: string): boolean {
  return definitions.has(name) || name === "unknown";
}

/** What is wrong with a reported event: the name of the field. */
export function reportedFault(event: JsonObject & { readonly type: string }): string | undefined {
  if (!isReportedType(event.type)) return "type";
  const definition = definitions.get(event.type);
  return definition === undefined ? "type" : faultIn(eventFieldsOf(definition), event);
}

/**
 * Only for events that this process makes, on their way into its journal and out to its listeners: those of nodes were
 * checked by `reportedFault`, the others are built here. Every event of a run would pay for a second check, and for a third.
 */
export function isCheckedReport<E extends JournalEvent>(event: E): event is E & ReportedEvent {
  return isReportedType(event.type);
}

/** The same object where it fits its type; a copy without them where optional fields don't. */
export function readEvent(stored: StoredEvent): RunEvent {
  const definition = definitions.get(stored.type);
  if (definition === undefined) return unknown(stored);
  const fields = eventFieldsOf(definition);
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

/** The record as the store has it. */
export function storedOf(event: RunEvent): StoredEvent {
  return event.type === "unknown" ? event.stored : event;
}

function fits(event: StoredEvent, fields: EventFields): event is StoredEvent & KnownEvent {
  return faultIn(fields, event) === undefined;
}

function without(event: StoredEvent, field: string): StoredEvent {
  const { seq, at, type } = event;
  return { ...Object.fromEntries(Object.entries(event).filter(([name]) => name !== field)), seq, at, type };
}

function unknown(stored: StoredEvent): UnknownEvent {
  return { type: "unknown", seq: stored.seq, at: stored.at, stored };
}
