// What agents said and did, entry by entry: one line of JSON each, beside the journal and never folded by the engine.
// Losing it costs a picture, not a run. Entries of later versions, torn lines and forged ones are left out.

import { isJsonObject } from "../lib/is-record.ts";
import { defineEvents, type EventsOf, fieldsOf } from "../events/define-events.ts";
import { faultIn, json, list, nullable, number, object, oneOf, optional, text, time } from "../events/field.ts";
import type { Json, JsonObject } from "../lib/json.ts";

export const transcriptVersion = 1;

const change = () => object({ path: text(), added: number("Lines."), removed: number("Lines.") });

const ofTurn = () => ({
  turn: text("The turn's id."),
  agentId: optional(text("The sub-agent it is about; absent: the agent of the turn.")),
});

const transcriptEntries = defineEvents({
  "turn.started": {
    note: "An agent is asked something.",
    fields: () => ({
      turn: text(),
      agent: text(),
      backend: text(),
      node: optional(text()),
      key: optional(text()),
      task: optional(text()),
      worker: optional(number()),
      modelAsked: optional(nullable(text())),
      prompt: text(),
    }),
  },
  said: { note: "A message of the agent, whole.", fields: () => ({ ...ofTurn(), text: text() }) },
  thought: { note: "Reasoning, where the backend shows it.", fields: () => ({ ...ofTurn(), text: text() }) },
  "tool.started": {
    note: "A tool call begins.",
    fields: () => ({ ...ofTurn(), call: text(), name: text(), kind: text(), input: json("Clipped.") }),
  },
  "tool.finished": {
    note: "A tool call is over.",
    fields: () => ({
      ...ofTurn(),
      call: text(),
      name: text(),
      outcome: oneOf(["ok", "failed", "interrupted"]),
      output: text("Clipped in the middle."),
      outputChars: number("How long it was."),
      exitCode: optional(number()),
      durationMs: number(),
      change: optional(change()),
    }),
  },
  "subagent.started": {
    note: "A sub-agent begins.",
    fields: () => ({ turn: text(), agentId: text(), parentId: optional(text()), name: text(), task: text() }),
  },
  "subagent.finished": {
    note: "A sub-agent is done.",
    fields: () => ({
      turn: text(),
      agentId: text(),
      outcome: oneOf(["completed", "failed", "interrupted"]),
      text: text(),
    }),
  },
  noticed: {
    note: "A warning of the agent's program, a retry, another model.",
    fields: () => ({ ...ofTurn(), text: text() }),
  },
  "turn.finished": {
    note: "The turn is over.",
    fields: () => ({
      turn: text(),
      outcome: oneOf(["completed", "failed", "interrupted"]),
      answer: text("The final message."),
      failure: optional(text()),
      modelServed: optional(nullable(text())),
      usage: object({
        inputTokens: number(),
        outputTokens: number(),
        cacheReadTokens: number(),
        cacheWriteTokens: number(),
        costUsd: nullable(number()),
      }),
      durationMs: number(),
      changes: list(change(), "Files that its tools wrote, each once."),
    }),
  },
  "node.failed": {
    note: "A node threw.",
    fields: () => ({ key: text(), node: text(), attempt: number(), message: text(), stack: text() }),
  },
  "transcript.truncated": {
    note: "Entries before this one were dropped: the transcript is bounded, or the disk was full.",
    fields: () => ({ reason: oneOf(["size", "disk"]) }),
  },
});

/** As it is made. */
export type TranscriptFacts = EventsOf<typeof transcriptEntries>;

export type TranscriptEntry = { readonly v: number; readonly at: number } & TranscriptFacts;

export type FailureEntry = Extract<TranscriptEntry, { readonly type: "node.failed" }>;

const stamp = { v: number(), at: time("When.") };

/** Undefined for a line that is torn, forged, or of a later version. */
export function readEntry(line: string): TranscriptEntry | undefined {
  const value = parsed(line);
  if (!isJsonObject(value)) return undefined;
  return isEntry(value) ? value : undefined;
}

function isEntry(value: JsonObject): value is JsonObject & TranscriptEntry {
  const { v, type } = value;
  if (v !== transcriptVersion || typeof type !== "string" || faultIn(stamp, value) !== undefined) return false;
  const definition = definitions.get(type);
  return definition !== undefined && faultIn(fieldsOf(definition), value) === undefined;
}

const definitions: ReadonlyMap<string, (typeof transcriptEntries)[keyof typeof transcriptEntries]> = new Map(
  Object.entries(transcriptEntries),
);

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return undefined;
  }
}
