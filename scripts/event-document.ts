// docs/events.md and docs/events.schema.json, made from the definitions of the events: what a journal holds and
// `--json` prints is written down once. `npm run docs` writes them, and the compact form that programs load; a test
// compares.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { authorEvents } from "../src/events/author-events.ts";
import type { EventDefinition } from "../src/events/define-events.ts";
import { engineEvents } from "../src/events/engine-events.ts";
import { type Field, objectSchema } from "../src/events/field.ts";
import { reportedEvents } from "../src/events/reported-events.ts";
import { type KnownEvent, runEventVersion } from "../src/events/run-event.ts";
import type { Json, JsonObject } from "../src/lib/json.ts";
import { eventShapesFile, eventShapesPath } from "./event-shapes.ts";

export const eventDocumentPath = join(import.meta.dir, "../docs/events.md");
export const eventSchemaPath = join(import.meta.dir, "../docs/events.schema.json");

export const eventFamilies = { engineShapes: engineEvents, reportedShapes: reportedEvents, authorShapes: authorEvents };

const eventDefinitions: Readonly<Record<KnownEvent["type"], EventDefinition>> = {
  ...engineEvents,
  ...reportedEvents,
  ...authorEvents,
};

const stamp: JsonObject = {
  runId: { type: "string", description: "The run." },
  seq: { type: "integer", minimum: 1, description: "Numbers from 1, without gaps." },
  at: { type: "number", description: "Milliseconds since the epoch." },
};

/** The schema of one line of `--json`. A later version may add fields and types. */
export function eventSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:atomic:events:v${runEventVersion}`,
    title: `A line of \`--json\`, version ${runEventVersion}`,
    oneOf: [
      ...Object.entries(eventDefinitions).map(([type, definition]) => lineSchema(type, definition)),
      {
        title: "progress",
        description: "With --deltas: what happens while nodes and agents work. Never stored.",
        type: "object",
        required: ["runId", "from", "type", "data"],
        properties: { runId: stamp["runId"] ?? {}, from: { enum: ["agent", "node"] }, type: { type: "string" } },
        not: { required: ["seq"] },
      },
    ],
  };
}

function lineSchema(type: string, { note, fields }: EventDefinition): JsonObject {
  const { properties, required } = objectSchema(fields());
  return {
    title: type,
    description: note,
    type: "object",
    required: ["runId", "seq", "at", "type", ...(Array.isArray(required) ? required : [])],
    properties: { ...stamp, type: { const: type }, ...(properties as JsonObject) },
  };
}

export function eventDocument(): string {
  return `${[
    introduction,
    ...family("Events of the engine", "The engine writes these, and folds them when a run is resumed.", engineEvents),
    ...family(
      "Events of the layers above",
      "Agent turns, tasks, limits, checks, reviews, reports, kept and delivered work. A node records one with `ctx.record({ type, … })`; the engine adds `key` and `node`.",
      reportedEvents,
    ),
    ...family(
      "Events of workflow authors",
      'What a node hands to `ctx.emit("name", data)`. Authors\' events have this one type and a custom name, so that none of their names can be mistaken for an event of Atomic. The names above are refused. Runs of versions before 0.5 hold such events under their bare name.',
      authorEvents,
    ),
  ].join("\n\n")}\n`;
}

const introduction = `# Events

<!-- Made from the definitions in src/events by \`npm run docs\`. Change those, not this file. -->

A run is a list of events: its journal. \`--json\` prints them, one per line, as they are stored, each with the run's id; so does \`atomic sessions logs --json\`. Every line has \`runId\`, \`seq\` (numbers from 1, without gaps), \`at\` (milliseconds since the epoch) and \`type\`. The last line of a process is \`run.paused\` or \`run.finished\`.

This is version ${runEventVersion} of the format; [events.schema.json](events.schema.json) is its JSON Schema. A later version of Atomic may add types and fields: ignore those you don't know, as Atomic does. A type or field that changes its meaning raises the version.

\`--deltas\` adds lines without a \`seq\` that are never stored: \`from\` is \`agent\` for what an agent does (\`type\` and \`data\` as in \`atomic/agents\`, with \`node\`, \`key\`, \`task\` and \`worker\`) and \`node\` for what a node hands to \`ctx.progress\`.`;

function family(title: string, text: string, events: Readonly<Record<string, EventDefinition>>): readonly string[] {
  return [`## ${title}`, text, ...Object.entries(events).flatMap(([type, definition]) => eventText(type, definition))];
}

function eventText(type: string, { note, fields }: EventDefinition): readonly string[] {
  const rows = Object.entries(fields()).map(([name, field]) => [
    `\`${name}\`${field.isOptional === true ? " (optional)" : ""}`,
    typeText(field.schema),
    descriptionOf(field),
  ]);
  return [`### ${type}`, note, ...(rows.length === 0 ? [] : [grid(["field", "type", ""], rows)])];
}

function descriptionOf({ schema }: Field<unknown>): string {
  return typeof schema["description"] === "string" ? schema["description"] : "";
}

function typeText(schema: Json | undefined): string {
  if (typeof schema !== "object" || schema === null || !("type" in schema || "enum" in schema || "anyOf" in schema))
    return isConst(schema) ? "`true`" : "JSON";
  const { type, enum: values, anyOf, items, properties } = schema;
  if (Array.isArray(values))
    return values.map((value: Json) => `\`${typeof value === "string" ? value : ""}\``).join(", ");
  if (Array.isArray(anyOf)) return anyOf.map(typeText).join(" or ");
  if (type === "array") return `list of ${typeText(items)}`;
  if (type !== "object" || typeof properties !== "object" || properties === null)
    return type === "string" ? "text" : typeof type === "string" ? type : "JSON";
  return `object (${Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(", ")})`;
}

function isConst(schema: Json | undefined): boolean {
  return typeof schema === "object" && schema !== null && "const" in schema;
}

function grid(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  writeFileSync(eventDocumentPath, eventDocument());
  writeFileSync(eventShapesPath, eventShapesFile(eventFamilies));
  writeFileSync(eventSchemaPath, `${JSON.stringify(eventSchema(), null, 2)}\n`);
}
