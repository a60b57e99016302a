// A family of events as data: a sentence and the fields of each type. The fields are created when an event of that type
// is first checked: a program that only builds graphs never needs them.

import type { EventFields, ObjectOfFields } from "./field.ts";

export interface EventDefinition {
  readonly note: string;
  readonly fields: () => EventFields;
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** The union of the events of a family, before the store adds number and time. */
export type EventsOf<D extends EventDefinitions> = {
  [Type in keyof D & string]: { readonly type: Type } & ObjectOfFields<ReturnType<D[Type]["fields"]>>;
}[keyof D & string];

export function defineEvents<const D extends EventDefinitions>(definitions: D): D {
  return definitions;
}

const made = new WeakMap<EventDefinition, EventFields>();

/** Cached. */
export function eventFieldsOf(definition: EventDefinition): EventFields {
  let fields = made.get(definition);
  if (fields === undefined) {
    fields = definition.fields();
    made.set(definition, fields);
  }
  return fields;
}
