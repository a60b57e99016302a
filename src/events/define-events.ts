// A family of events as data: for each type a sentence about it and its fields.

import type { Fields, ObjectOf } from "./field.ts";

export interface EventDefinition {
  readonly note: string;
  readonly fields: Fields;
}

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** The union of the events of a family, as they are made: without number and time. */
export type EventsOf<D extends EventDefinitions> = {
  [Type in keyof D & string]: { readonly type: Type } & ObjectOf<D[Type]["fields"]>;
}[keyof D & string];

export function defineEvents<const D extends EventDefinitions>(definitions: D): D {
  return definitions;
}
