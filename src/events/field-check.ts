// Checks the fields of an event. Apart from field.ts, which describes them: a program that reads events needs no
// descriptions.

import type { JsonObject } from "../lib/json.ts";

export interface FieldCheck {
  readonly accepts: (value: unknown) => boolean;
  readonly isOptional?: boolean;
  /** Every value of this `typeof` is accepted: most fields need no other check. */
  readonly type?: "string" | "number" | "boolean" | undefined;
}

export type FieldChecks = Readonly<Record<string, FieldCheck>>;

/** The first field that is missing or has a wrong value. Undeclared fields are ignored. */
export function faultIn(fields: FieldChecks, value: JsonObject): string | undefined {
  for (const name in fields) {
    const field = fields[name];
    const given = value[name];
    if (field === undefined || typeof given === field.type) continue;
    if (given === undefined && field.isOptional === true) continue;
    if (!field.accepts(given)) return name;
  }
  return undefined;
}
