// A family of events as data: for each type a sentence about it and its fields. The fields of a type are made when one of
// its events is first checked: a program that only builds graphs never needs them.

import type { Fields, ObjectOf } from "./field.ts";

export interface EventDefinition {
  readonly note: string;
  readonly fields: () => Fields;
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** The union of the events of a family, as they are made: without number and time. */
export type EventsOf<D extends EventDefinitions> = {
  [Type in keyof D & string]: { readonly type: Type } & ObjectOf<ReturnType<D[Type]["fields"]>>;
}[keyof D & string];

export function defineEvents<const D extends EventDefinitions>(definitions: D): D {
  return definitions;
}

const made = new WeakMap<EventDefinition, Fields>();

/** Made once. */
export function fieldsOf(definition: EventDefinition): Fields {
  let fields = made.get(definition);
  if (fields === undefined) {
    fields = definition.fields();
    made.set(definition, fields);
  }
  return fields;
}
