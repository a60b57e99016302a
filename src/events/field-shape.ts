// The fields of an event as compact JSON: what event-shapes.ts holds of each type, made from the definitions.
// A program that imports the engine parses one string per type of event, and the checks of a type are made when one of
// its events is first read. The definitions themselves, with their descriptions, were a tenth of that import
// (docs/decisions/156-the-import-holds-no-definitions-of-events.md).

import { isJsonObject } from "../lib/is-record.ts";
import { faultIn, type FieldCheck, type FieldChecks } from "./field-check.ts";

/** By name; the names of optional fields end with a question mark. */
export interface FieldShapes {
  readonly [name: string]: FieldShape;
}

export type FieldShape =
  | "text"
  | "number"
  | "flag"
  | "yes"
  | "null"
  | "json"
  | "object"
  | FieldShapes
  | readonly ["one-of", ...(readonly string[])]
  | readonly ["list", FieldShape]
  | readonly ["either", FieldShape, FieldShape];

export function checksOf(shapes: FieldShapes): FieldChecks {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) =>
      name.endsWith("?") ? [name.slice(0, -1), { ...checkOf(shape), isOptional: true }] : [name, checkOf(shape)],
    ),
  );
}

function checkOf(shape: FieldShape): FieldCheck {
  switch (shape) {
    case "text":
      return { accepts: (value) => typeof value === "string", type: "string" };
    case "number":
      return { accepts: (value) => typeof value === "number", type: "number" };
    case "flag":
      return { accepts: (value) => typeof value === "boolean", type: "boolean" };
    case "yes":
      return { accepts: (value) => value === true };
    case "null":
      return { accepts: (value) => value === null };
    case "json":
      return { accepts: (value) => value !== undefined };
    case "object":
      return { accepts: isJsonObject };
    default:
      return isCompound(shape) ? compoundCheck(shape) : objectCheck(checksOf(shape));
  }
}

function objectCheck(fields: FieldChecks): FieldCheck {
  return { accepts: (value) => isJsonObject(value) && faultIn(fields, value) === undefined };
}

type CompoundShape = Extract<FieldShape, readonly unknown[]>;

function isCompound(shape: CompoundShape | FieldShapes): shape is CompoundShape {
  return Array.isArray(shape);
}

function compoundCheck(shape: CompoundShape): FieldCheck {
  switch (shape[0]) {
    case "one-of": {
      const known: ReadonlySet<unknown> = new Set(shape.slice(1));
      return { accepts: (value) => known.has(value) };
    }
    case "list": {
      const item = checkOf(shape[1]);
      return { accepts: (value) => Array.isArray(value) && value.every((each) => item.accepts(each)) };
    }
    case "either": {
      const [first, second] = [checkOf(shape[1]), checkOf(shape[2])];
      return { accepts: (value) => first.accepts(value) || second.accepts(value), type: first.type };
    }
  }
}
