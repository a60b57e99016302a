// The protocol's tool calls as the port's. An agent announces a call before it knows its input, and reports what changed
// as it goes; a call is reported when there is something to report.

import type { Json } from "../../lib/json.ts";
import type { BackendEvent } from "../backend-session.ts";
import type { ToolKind } from "../events.ts";
import { type FileEdit, fileChanges } from "../tool-changes.ts";
import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../fields.ts";

export interface ToolReport {
  /** A `tool_call` or `tool_call_update` of this agent (undefined: that of the session). */
  read(update: Fields, agentId: string | undefined): void;
}

interface KnownCall {
  readonly agentId: string | undefined;
  /** What it was called when it started; agents change the title as they go. */
  readonly startedAs: string | undefined;
  /** The last reported value of each field. */
  readonly fields: Fields;
  /** The newest diffs that it showed; a later update may show only text. */
  readonly diffs: readonly FileEdit[];
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
      const known = calls.get(toolCallId) ?? { agentId, startedAs: undefined, fields: {}, diffs: [], output: "" };
      const fields = { ...known.fields, ...reportedFields(update) };
      const status = textIn(fields, "status") ?? "pending";
      const startedAs =
        known.startedAs ?? (isAnnouncement(update, status) ? undefined : start(toolCallId, fields, agentId));
      // Before it runs, what it shows is what it is going to do.
      const output = (status === "pending" ? undefined : outputOf(update)) ?? known.output;
      const shown = diffsOf(update);
      const diffs = shown.length === 0 ? known.diffs : shown;
      if (startedAs !== undefined && (status === "completed" || status === "failed"))
        finish(toolCallId, startedAs, fields, { ...known, diffs, output });
      else if (startedAs !== undefined && status === "in_progress") progress(toolCallId, known, output);
      calls.set(toolCallId, { ...known, startedAs, fields, diffs, output });
    },
  };

  function start(toolCallId: string, fields: Fields, agentId: string | undefined): string {
    const name = toolName(fields);
    // What came as JSON is JSON.
    const input = (fields["rawInput"] ?? { title: textIn(fields, "title") ?? "" }) as Json;
    emit({ type: "tool.started", agentId, toolCallId, name, kind: toolKind(fields), input });
    return name;
  }

  function progress(toolCallId: string, known: KnownCall, output: string): void {
    const isMore = output.startsWith(known.output);
    const piece = isMore ? output.slice(known.output.length) : output;
    if (piece !== "") emit({ type: "tool.progressed", agentId: known.agentId, toolCallId, output: piece });
  }

  function finish(toolCallId: string, name: string, fields: Fields, { agentId, diffs, output }: KnownCall): void {
    const exitCode = exitCodeOf(fields);
    emit({
      type: "tool.finished",
      agentId,
      toolCallId,
      name,
      outcome: textIn(fields, "status") === "completed" && (exitCode ?? 0) === 0 ? "ok" : "failed",
      output,
      outputChars: output.length,
      ...(exitCode !== undefined && { exitCode }),
      ...(diffs.length > 0 && { changes: fileChanges(diffs) }),
    });
  }
}

/**
 * A call whose input is still being written: the agent says so by an empty one. A call without any word of its input has
 * begun; to wait for more might be to wait for its end.
 */
function isAnnouncement(update: Fields, status: string): boolean {
  const isEmpty = "rawInput" in update && Object.keys(fieldsIn(update, "rawInput")).length === 0;
  return textIn(update, "sessionUpdate") === "tool_call" && status === "pending" && isEmpty;
}

/** Null means the same as nothing: unchanged. */
function reportedFields(update: Fields): Fields {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null));
}

function toolName(fields: Fields): string {
  return textIn(fields, "name") ?? textIn(fields, "title") ?? "tool";
}

function toolKind(fields: Fields): ToolKind {
  const kind = kinds[textIn(fields, "kind") ?? ""];
  const input = fieldsIn(fields, "rawInput");
  if ("subagent_type" in input || "agent_type" in input) return "subagent";
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

/** What it changes, file by file. A new file has no old text. */
function diffsOf(fields: Fields): readonly FileEdit[] {
  return listIn(fields, "content").flatMap((content) => {
    const path = textIn(content, "path");
    const after = textIn(content, "newText");
    if (textIn(content, "type") !== "diff" || path === undefined || after === undefined) return [];
    return [{ path, before: textIn(content, "oldText") ?? "", after }];
  });
}

/** The protocol has no field for it; agents that report it do so in the tool's result. */
function exitCodeOf(fields: Fields): number | undefined {
  const raw = fieldsIn(fields, "rawOutput");
  return numberIn(raw, "exitCode") ?? numberIn(raw, "exit_code") ?? numberIn(fieldsIn(raw, "metadata"), "exit");
}
