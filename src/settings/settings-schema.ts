// The JSON schema of settings.json, made from the table: what editors check and complete by. `atomic config schema`
// prints it.

import { settingKeys, settingTable, type SettingSpec } from "./setting-table.ts";

interface Schema {
  [key: string]: unknown;
  properties?: Record<string, Schema>;
}

export function settingsSchema(): object {
  const root: Schema = objectSchema(
    "Settings of Atomic: ~/.atomic/settings.json, or .atomic/settings.json in a project.",
  );
  root.properties = { $schema: { type: "string" } };
  for (const key of settingKeys) place(root, key.split("."), schemaOf(settingTable[key]));
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Atomic settings", ...root };
}

function objectSchema(description?: string): Schema {
  return {
    ...(description === undefined ? {} : { description }),
    type: "object",
    additionalProperties: false,
    properties: {},
  };
}

function place(at: Schema, [key = "", ...rest]: readonly string[], schema: Schema): void {
  if (key === "*") {
    at["additionalProperties"] = schema;
    return;
  }
  at.properties ??= {};
  if (rest.length === 0) at.properties[key] = schema;
  else place((at.properties[key] ??= objectSchema()), rest, schema);
}

function schemaOf(spec: SettingSpec): Schema {
  const inProject = { no: " Not in a project's file.", tighten: " A project's file may only lower it." };
  const note = typeof spec.project === "string" && spec.project !== "yes" ? inProject[spec.project] : "";
  const description = `${spec.description}${note}`;
  const common = { description, ...(spec.default === undefined ? {} : { default: spec.default }) };
  if (spec.type === "number") return { type: spec.isFraction === true ? "number" : "integer", minimum: 0, ...common };
  const choices = spec.choices === undefined ? {} : { enum: spec.choices };
  const pattern = spec.pattern === undefined ? {} : { pattern: spec.pattern.source };
  return { type: "string", minLength: 1, ...choices, ...pattern, ...common };
}
