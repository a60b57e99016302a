// src/events/event-shapes.ts: the fields of every event in the compact form that programs load, made from the
// definitions (src/events/field-shape.ts). `npm run docs` writes it; a test compares.

import { join } from "node:path";
import type { EventDefinitions } from "../src/events/define-events.ts";
import { objectSchema } from "../src/events/field.ts";
import type { FieldShape, FieldShapes } from "../src/events/field-shape.ts";
import { isJsonObject } from "../src/lib/is-record.ts";
import type { Json, JsonObject } from "../src/lib/json.ts";

export const eventShapesPath = join(import.meta.dir, "../src/events/event-shapes.ts");

/** The text of the file. */
export function eventShapesFile(families: Readonly<Record<string, EventDefinitions>>): string {
  return [
    "// Made from the definitions of the events by `npm run docs`. Change those, not this file.",
    ...Object.entries(families).map(([name, definitions]) => {
      const lines = Object.entries(shapesIn(definitions)).map(([type, shape]) => `  ${key(type)}: '${shape}',`);
      return `export const ${name}: Readonly<Record<string, string>> = {\n${lines.join("\n")}\n};`;
    }),
    "",
  ].join("\n\n");
}

/** The shape of each type, as JSON. */
export function shapesIn(definitions: EventDefinitions): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(definitions).map(([type, { fields }]) => [
      type,
      JSON.stringify(fieldShapes(objectSchema(fields()))),
    ]),
  );
}

function key(type: string): string {
  return /^\w+$/.test(type) ? type : JSON.stringify(type);
}

function fieldShapes({ properties, required }: JsonObject): FieldShapes {
  const needed = Array.isArray(required) ? (required as readonly Json[]) : [];
  return Object.fromEntries(
    Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => [
      needed.includes(name) ? name : `${name}?`,
      fieldShape(schema),
    ]),
  );
}

/** From the schema, which says all that a field accepts. */
function fieldShape(schema: Json | undefined): FieldShape {
  if (!isJsonObject(schema)) throw new Error(`not the schema of a field: ${JSON.stringify(schema)}`);
  const { type, enum: values, anyOf, items, properties, const: only } = schema;
  if (only === true) return "yes";
  if (Array.isArray(values)) return ["one-of", ...values.map(String)];
  if (Array.isArray(anyOf)) return ["either", fieldShape(anyOf[0]), fieldShape(anyOf[1])];
  switch (type) {
    case undefined:
      return "json";
    case "string":
      return "text";
    case "number":
    case "null":
      return type;
    case "boolean":
      return "flag";
    case "array":
      return ["list", fieldShape(items)];
    case "object":
      return properties === undefined ? "object" : fieldShapes(schema);
    default:
      throw new Error(`no shape for the type ${JSON.stringify(type)}`);
  }
}
