// Reading JSON that a program sent, when its shape is only hoped for: a field that is missing or of another kind is
// undefined, and nothing throws.

export type Fields = Readonly<Record<string, unknown>>;

/** Undefined when it is no object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Empty when it is no object. */
export function asFields(value: unknown): Fields {
  return fieldsOf(value) ?? {};
}

/** The object in a text of JSON; undefined when it is none. */
export function parseFields(json: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return undefined;
  }
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

/** The objects of a list; empty when it is none. */
export function listIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(asFields) : [];
}
