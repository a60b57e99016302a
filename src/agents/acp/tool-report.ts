// The protocol's tool calls as the port's. An agent announces a call before it knows its input, and tells what changed
// as it goes; a call is reported when there is something to report.

import type { Json } from "../../lib/json.ts";
import type { BackendEvent } from "../driver.ts";
import type { ToolKind } from "../events.ts";
import { fieldsIn, listIn, textIn, type Fields } from "../fields.ts";

export interface ToolReport {
  /** A `tool_call` or `tool_call_update` of this agent (undefined: that of the session). */
  read(update: Fields, agentId: string | undefined): void;
}

interface KnownCall {
  readonly agentId: string | undefined;
  readonly isStarted: boolean;
  /** What was told last of each field. */
  readonly fields: Fields;
  /** What it printed so far. */
  readonly output: string;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  edit: "write",
  delete: "write",
  move: "write",
  search: "search",
  execute: "shell",
  fetch: "web",
};

/** Kinds that the protocol has no word for, by the names that agents give such tools. */
const kindsByName: readonly (readonly [ToolKind, RegExp])[] = [
  ["todo", /todo|\bplan\b/i],
  ["question", /ask.?(?:user|question)|user.?input/i],
  ["subagent", /^(?:agent|task)$|sub.?agent/i],
];

export function createToolReport(emit: (event: BackendEvent) => void): ToolReport {
  const calls = new Map<string, KnownCall>();

  return {
    read(update, agentId) {
      const toolCallId = textIn(update, "toolCallId");
      if (toolCallId === undefined) return;
      const known = calls.get(toolCallId) ?? { agentId, isStarted: false, fields: {}, output: "" };
      const fields = { ...known.fields, ...told(update) };
      const status = textIn(fields, "status") ?? "pending";
      // The announcement of a call whose input is still being written.
      const isAnnounced = textIn(update, "sessionUpdate") === "tool_call" && status === "pending" && !hasInput(fields);
      const isStarted = known.isStarted || !isAnnounced;
      if (isStarted && !known.isStarted) start(toolCallId, fields, known.agentId);
      // Before it runs, what it shows is what it is going to do.
      const output = (status === "pending" ? undefined : outputOf(update)) ?? known.output;
      if (status === "completed" || status === "failed") finish(toolCallId, fields, known.agentId, output);
      else if (isStarted && status === "in_progress") progress(toolCallId, known, output);
      calls.set(toolCallId, { ...known, isStarted, fields, output });
    },
  };

  function start(toolCallId: string, fields: Fields, agentId: string | undefined): void {
    const name = toolName(fields);
    // What came as JSON is JSON.
    const input = (fields["rawInput"] ?? { title: textIn(fields, "title") ?? "" }) as Json;
    emit({ type: "tool.started", agentId, toolCallId, name, kind: toolKind(fields), input });
  }

  function progress(toolCallId: string, known: KnownCall, output: string): void {
    const isMore = output.startsWith(known.output);
    const piece = isMore ? output.slice(known.output.length) : output;
    if (piece !== "") emit({ type: "tool.progressed", agentId: known.agentId, toolCallId, output: piece });
  }

  function finish(toolCallId: string, fields: Fields, agentId: string | undefined, output: string): void {
    emit({
      type: "tool.finished",
      agentId,
      toolCallId,
      name: toolName(fields),
      outcome: textIn(fields, "status") === "completed" ? "ok" : "failed",
      output,
      outputChars: output.length,
    });
  }
}

/** Null means the same as nothing: unchanged. */
function told(update: Fields): Fields {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null));
}

function hasInput(fields: Fields): boolean {
  return Object.keys(fieldsIn(fields, "rawInput")).length > 0;
}

function toolName(fields: Fields): string {
  return textIn(fields, "name") ?? textIn(fields, "title") ?? "tool";
}

function toolKind(fields: Fields): ToolKind {
  const kind = kinds[textIn(fields, "kind") ?? ""];
  return kind ?? kindsByName.find(([, name]) => name.test(toolName(fields)))?.[0] ?? "other";
}

/** What the tool returned, when the agent says so; else what it shows. */
function outputOf(fields: Fields): string | undefined {
  const raw = fields["rawOutput"];
  if (typeof raw === "string") return raw;
  const shown = listIn(fields, "content")
    .map((content) => textIn(fieldsIn(content, "content"), "text"))
    .filter((text) => text !== undefined);
  return shown.length === 0 ? undefined : shown.join("\n");
}
