// The entries of a transcript, which records what agents said and did: one line of JSON each, beside the journal and
// never read by the engine. Losing it costs display, not a run. Entries of later versions, torn lines and forged ones
// are skipped.

import { isJsonObject } from "../lib/is-record.ts";
import { defineEvents, type EventsOf, eventFieldsOf } from "../events/define-events.ts";
import {
  jsonField,
  listField,
  nullableField,
  numberField,
  objectField,
  oneOfField,
  optionalField,
  textField,
  timeField,
} from "../events/field.ts";
import { faultIn } from "../events/field-check.ts";
import type { FileChange } from "../agents/tool-changes.ts";
import type { Json, JsonObject } from "../lib/json.ts";

export const transcriptVersion = 1;

const change = () => objectField({ path: textField(), added: numberField("Lines."), removed: numberField("Lines.") });

const ofTurn = () => ({
  turn: textField("The turn's id."),
  agentId: optionalField(textField("The sub-agent it is about; absent: the agent of the turn.")),
});

const transcriptEntries = defineEvents({
  "turn.started": {
    note: "An agent is asked something.",
    fields: () => ({
      turn: textField(),
      agent: textField(),
      backend: textField(),
      node: optionalField(textField()),
      key: optionalField(textField()),
      task: optionalField(textField()),
      worker: optionalField(numberField()),
      modelAsked: optionalField(nullableField(textField())),
      prompt: textField(),
    }),
  },
  said: { note: "A message of the agent, whole.", fields: () => ({ ...ofTurn(), text: textField() }) },
  thought: { note: "Reasoning, where the backend shows it.", fields: () => ({ ...ofTurn(), text: textField() }) },
  "tool.started": {
    note: "A tool call begins.",
    fields: () => ({
      ...ofTurn(),
      call: textField(),
      name: textField(),
      kind: textField(),
      input: jsonField("Clipped."),
    }),
  },
  "tool.finished": {
    note: "A tool call is over.",
    fields: () => ({
      ...ofTurn(),
      call: textField(),
      name: textField(),
      outcome: oneOfField(["ok", "failed", "interrupted"]),
      output: textField("Clipped in the middle."),
      outputChars: numberField("How long it was."),
      exitCode: optionalField(numberField()),
      durationMs: numberField(),
      changes: optionalField(listField(change(), "Files that it changed, each once.")),
      change: optionalField(change()),
    }),
  },
  "subagent.started": {
    note: "A sub-agent begins.",
    fields: () => ({
      turn: textField(),
      agentId: textField(),
      parentId: optionalField(textField()),
      name: textField(),
      task: textField(),
    }),
  },
  "subagent.finished": {
    note: "A sub-agent is done.",
    fields: () => ({
      turn: textField(),
      agentId: textField(),
      outcome: oneOfField(["completed", "failed", "interrupted"]),
      text: textField(),
    }),
  },
  noticed: {
    note: "A warning of the agent's program, a retry, another model.",
    fields: () => ({ ...ofTurn(), text: textField() }),
  },
  "turn.finished": {
    note: "The turn is over.",
    fields: () => ({
      turn: textField(),
      outcome: oneOfField(["completed", "failed", "interrupted"]),
      answer: textField("The final message."),
      failure: optionalField(textField()),
      modelServed: optionalField(nullableField(textField())),
      usage: objectField({
        inputTokens: numberField(),
        outputTokens: numberField(),
        cacheReadTokens: numberField(),
        cacheWriteTokens: numberField(),
        costUsd: nullableField(numberField()),
      }),
      durationMs: numberField(),
      changes: listField(change(), "Files that its tools wrote, each once."),
    }),
  },
  "node.failed": {
    note: "A node threw.",
    fields: () => ({
      key: textField(),
      node: textField(),
      attempt: numberField(),
      message: textField(),
      stack: textField(),
    }),
  },
  "transcript.truncated": {
    note: "Entries before this one were dropped: the transcript is bounded, the disk refused them, or one was too long.",
    fields: () => ({ reason: oneOfField(["size", "disk", "length"]) }),
  },
});

/** An entry before it gets its version and time. */
export type TranscriptFacts = EventsOf<typeof transcriptEntries>;

export type TranscriptEntry = { readonly v: number; readonly at: number } & TranscriptFacts;

/** The files that a tool call changed. Earlier versions wrote one file, under another name. */
export function changesOfTool({
  changes,
  change: only,
}: Extract<TranscriptEntry, { readonly type: "tool.finished" }>): readonly FileChange[] {
  return changes ?? (only === undefined ? [] : [only]);
}

export type FailureEntry = Extract<TranscriptEntry, { readonly type: "node.failed" }>;

const stamp = { v: numberField(), at: timeField("When.") };

/** Undefined for a line that is torn, forged, or of a later version. */
export function readTranscriptEntry(line: string): TranscriptEntry | undefined {
  const value = parsed(line);
  if (!isJsonObject(value)) return undefined;
  return isEntry(value) ? value : undefined;
}

function isEntry(value: JsonObject): value is JsonObject & TranscriptEntry {
  const { v, type } = value;
  if (v !== transcriptVersion || typeof type !== "string" || faultIn(stamp, value) !== undefined) return false;
  const definition = definitions.get(type);
  return definition !== undefined && faultIn(eventFieldsOf(definition), value) === undefined;
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
