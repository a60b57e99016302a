// What a tool's part says, in the words of the port.

import type { Json } from "../../lib/json.ts";
import type { ToolKind } from "../events.ts";
import { textOf } from "./fields.ts";
import type { ToolPart } from "./wire.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  read: "read",
  list: "read",
  write: "write",
  edit: "write",
  multiedit: "write",
  patch: "write",
  apply_patch: "write",
  bash: "shell",
  grep: "search",
  glob: "search",
  codesearch: "search",
  webfetch: "web",
  websearch: "web",
  task: "subagent",
  question: "question",
  todowrite: "todo",
  todoread: "todo",
};

export function opencodeToolKind(name: string): ToolKind {
  return kinds[name] ?? "other";
}

/** What came out of the server is JSON already. */
export function toolInput({ state }: ToolPart): Json {
  return state.input as Json;
}

/** The session of the sub-agent that a `task` tool runs, once it has one. */
export function childSessionOf(part: ToolPart): string | undefined {
  return part.tool === "task" ? textOf(part.state.metadata["sessionId"]) : undefined;
}

export interface SubagentTask {
  readonly agent: string;
  readonly prompt: string;
}

export function taskOf({ state: { input } }: ToolPart): SubagentTask {
  return {
    agent: textOf(input["subagent_type"]) ?? "sub-agent",
    prompt: textOf(input["prompt"]) ?? textOf(input["description"]) ?? "",
  };
}

/** What the sub-agent reported, without the tags around it. */
export function taskResult(output: string): string {
  return (/<task_result>\s*([\s\S]*?)\s*<\/task_result>/.exec(output)?.[1] ?? output).trim();
}

/** What a running tool has printed so far: a shell streams its output. */
export function printedSoFar(part: ToolPart): string | undefined {
  return textOf(part.state.metadata["output"]);
}

export interface ToolOutcome {
  readonly outcome: "ok" | "failed" | "interrupted";
  readonly output: string;
  readonly exitCode?: number;
}

/** Undefined while the tool runs. What fails while the turn is being stopped was stopped: not every tool says so. */
export function toolOutcome(part: ToolPart, isStopping: boolean): ToolOutcome | undefined {
  const { state } = part;
  if (state.status === "error") {
    const isInterrupted = isStopping || state.metadata["interrupted"] === true;
    const printed = printedSoFar(part);
    const output = printed === undefined || printed === "" ? state.output : `${printed}\n${state.output}`;
    return { outcome: isInterrupted ? "interrupted" : "failed", output };
  }
  if (state.status !== "completed") return undefined;
  if (opencodeToolKind(part.tool) !== "shell") return { outcome: "ok", output: state.output };
  // A command that fails is a completed call for OpenCode. Without a code it was ended: a time limit, a signal.
  const exit = state.metadata["exit"];
  if (typeof exit !== "number") return { outcome: exit === null ? "failed" : "ok", output: state.output };
  return { outcome: exit === 0 ? "ok" : "failed", output: state.output, exitCode: exit };
}
