// The fields of events as values: each has a check, a JSON Schema and a TypeScript type. So the union, the check of
// stored events, the schema and the document have one source.

import { isJsonObject } from "../lib/is-record.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { faultIn, type FieldCheck } from "./field-check.ts";

export interface Field<T> extends FieldCheck {
  readonly accepts: (value: unknown) => value is T;
  readonly schema: JsonObject;
}

export interface OptionalField<T> extends Field<T> {
  readonly isOptional: true;
}

export type EventFields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The object that has these fields. */
export type ObjectOfFields<F extends EventFields> = {
  readonly [Name in keyof F as F[Name] extends OptionalField<unknown> ? never : Name]: ValueOf<F[Name]>;
} & {
  readonly [Name in keyof F as F[Name] extends OptionalField<unknown> ? Name : never]?: ValueOf<F[Name]>;
};

export function textField(description?: string): Field<string> {
  return {
    accepts: (value) => typeof value === "string",
    schema: { type: "string", ...noted(description) },
    type: "string",
  };
}

export function numberField(description?: string): Field<number> {
  return {
    accepts: (value) => typeof value === "number",
    schema: { type: "number", ...noted(description) },
    type: "number",
  };
}

/** Milliseconds since the epoch. */
export function timeField(description: string): Field<number> {
  return numberField(`${description} Milliseconds since the epoch.`);
}

export function flagField(description?: string): Field<boolean> {
  return {
    accepts: (value) => typeof value === "boolean",
    schema: { type: "boolean", ...noted(description) },
    type: "boolean",
  };
}

export function yesField(description: string): Field<true> {
  return { accepts: (value) => value === true, schema: { const: true, description } };
}

/** Any JSON. Stored events are known to be JSON. */
export function jsonField(description: string): Field<Json> {
  return { accepts: (value): value is Json => value !== undefined, schema: { description } };
}

export function jsonObjectField(description: string): Field<JsonObject> {
  return { accepts: isJsonObject, schema: { type: "object", description } };
}

export function oneOfField<const Value extends string>(values: readonly Value[], description?: string): Field<Value> {
  const known: ReadonlySet<unknown> = new Set(values);
  return { accepts: (value): value is Value => known.has(value), schema: { enum: values, ...noted(description) } };
}

export function eitherField<A, B>(first: Field<A>, second: Field<B>): Field<A | B> {
  return {
    accepts: (value): value is A | B => first.accepts(value) || second.accepts(value),
    schema: { anyOf: [first.schema, second.schema] },
  };
}

export function nullableField<T>(field: Field<T>): Field<T | null> {
  const { description, ...schema } = field.schema;
  return {
    accepts: (value): value is T | null => value === null || field.accepts(value),
    schema: {
      anyOf: [schema, { type: "null" }],
      ...(typeof description === "string" && { description }),
    },
    type: field.type,
  };
}

export function listField<T>(item: Field<T>, description?: string): Field<readonly T[]> {
  return {
    accepts: (value): value is readonly T[] => Array.isArray(value) && value.every((each) => item.accepts(each)),
    schema: { type: "array", items: item.schema, ...noted(description) },
  };
}

export function objectField<const F extends EventFields>(fields: F, description?: string): Field<ObjectOfFields<F>> {
  return {
    accepts: (value): value is ObjectOfFields<F> => isJsonObject(value) && faultIn(fields, value) === undefined,
    schema: { ...objectSchema(fields), ...noted(description) },
  };
}

export function optionalField<T>(field: Field<T>): OptionalField<T> {
  return { ...field, isOptional: true };
}

export function objectSchema(fields: EventFields): JsonObject {
  const names = Object.keys(fields);
  return {
    type: "object",
    required: names.filter((name) => fields[name]?.isOptional !== true),
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema ?? {}])),
  };
}

function noted(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
