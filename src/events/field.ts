// The fields of events as values: each knows what it accepts, how a JSON Schema says that, and which type it has. So the
// union, the check of what a journal holds, the schema and the document have one source.

import { isJsonObject } from "../lib/is-record.ts";
import type { Json, JsonObject } from "../lib/json.ts";

export interface Field<T> {
  readonly accepts: (value: unknown) => value is T;
  readonly schema: JsonObject;
  readonly isOptional?: boolean;
}

export interface OptionalField<T> extends Field<T> {
  readonly isOptional: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The object that has these fields. */
export type ObjectOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends OptionalField<unknown> ? never : Name]: ValueOf<F[Name]>;
} & {
  readonly [Name in keyof F as F[Name] extends OptionalField<unknown> ? Name : never]?: ValueOf<F[Name]>;
};

export function text(description?: string): Field<string> {
  return { accepts: (value) => typeof value === "string", schema: { type: "string", ...noted(description) } };
}

export function number(description?: string): Field<number> {
  return { accepts: (value) => typeof value === "number", schema: { type: "number", ...noted(description) } };
}

/** Milliseconds since the epoch. */
export function time(description: string): Field<number> {
  return number(`${description} Milliseconds since the epoch.`);
}

export function flag(description?: string): Field<boolean> {
  return { accepts: (value) => typeof value === "boolean", schema: { type: "boolean", ...noted(description) } };
}

export function yes(description: string): Field<true> {
  return { accepts: (value) => value === true, schema: { const: true, description } };
}

/** Any JSON. What comes from a journal is JSON already. */
export function json(description: string): Field<Json> {
  return { accepts: (value): value is Json => value !== undefined, schema: { description } };
}

export function jsonObject(description: string): Field<JsonObject> {
  return { accepts: isJsonObject, schema: { type: "object", description } };
}

export function oneOf<const Value extends string>(values: readonly Value[], description?: string): Field<Value> {
  const known: ReadonlySet<unknown> = new Set(values);
  return { accepts: (value): value is Value => known.has(value), schema: { enum: values, ...noted(description) } };
}

export function either<A, B>(first: Field<A>, second: Field<B>): Field<A | B> {
  return {
    accepts: (value): value is A | B => first.accepts(value) || second.accepts(value),
    schema: { anyOf: [first.schema, second.schema] },
  };
}

export function nullable<T>(field: Field<T>): Field<T | null> {
  const { description, ...schema } = field.schema;
  return {
    accepts: (value): value is T | null => value === null || field.accepts(value),
    schema: {
      anyOf: [schema, { type: "null" }],
      ...(typeof description === "string" && { description }),
    },
  };
}

export function list<T>(item: Field<T>, description?: string): Field<readonly T[]> {
  return {
    accepts: (value): value is readonly T[] => Array.isArray(value) && value.every((each) => item.accepts(each)),
    schema: { type: "array", items: item.schema, ...noted(description) },
  };
}

export function object<const F extends Fields>(fields: F, description?: string): Field<ObjectOf<F>> {
  return {
    accepts: (value): value is ObjectOf<F> => isJsonObject(value) && faultIn(fields, value) === undefined,
    schema: { ...objectSchema(fields), ...noted(description) },
  };
}

export function optional<T>(field: Field<T>): OptionalField<T> {
  return { ...field, isOptional: true };
}

export function objectSchema(fields: Fields): JsonObject {
  const names = Object.keys(fields);
  return {
    type: "object",
    required: names.filter((name) => fields[name]?.isOptional !== true),
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema ?? {}])),
  };
}

/** The first field that is missing or has a wrong value. Fields that are not declared don't matter. */
export function faultIn(fields: Fields, value: JsonObject): string | undefined {
  for (const name in fields) {
    const field = fields[name];
    const given = value[name];
    if (field === undefined || (given === undefined && field.isOptional === true)) continue;
    if (!field.accepts(given)) return name;
  }
  return undefined;
}

function noted(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
