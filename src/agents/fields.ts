// Reads JSON of uncertain shape that a program sent: a field that is missing or of another kind is
// undefined, and nothing throws.

import { parseJson } from "../lib/parse-json.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Undefined if it is not an object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Empty if it is not an object. */
export function asFields(value: unknown): Fields {
  return fieldsOf(value) ?? {};
}

/** Parses a JSON object; undefined if the text is anything else. */
export function parseFields(json: string): Fields | undefined {
  return fieldsOf(parseJson(json)?.value);
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function fieldsIn(fields: Fields, name: string): Fields {
  return asFields(fields[name]);
}

/** The objects of a list; empty if it is not a list. */
export function listIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(asFields) : [];
}
