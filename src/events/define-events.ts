// A family of events as data: for each type a sentence about it and its fields. The fields of a type are made when one of
// its events is first checked: a program that only builds graphs never needs them.

import type { EventFields, ObjectOfFields } from "./field.ts";

export interface EventDefinition {
  readonly note: string;
  readonly fields: () => EventFields;
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** The union of the events of a family, as they are made: without number and time. */
export type EventsOf<D extends EventDefinitions> = {
  [Type in keyof D & string]: { readonly type: Type } & ObjectOfFields<ReturnType<D[Type]["fields"]>>;
}[keyof D & string];

export function defineEvents<const D extends EventDefinitions>(definitions: D): D {
  return definitions;
}

const made = new WeakMap<EventDefinition, EventFields>();

/** Made once. */
export function eventFieldsOf(definition: EventDefinition): EventFields {
  let fields = made.get(definition);
  if (fields === undefined) {
    fields = definition.fields();
    made.set(definition, fields);
  }
  return fields;
}
