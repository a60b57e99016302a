// Whether a value is an object with keys and not a list: for parsed values and values from outside.

import type { JsonObject } from "./json.ts";

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same for a value that is known to be JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
