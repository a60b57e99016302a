// What the program's tools are, for a row on a screen. Names as of the version that tests/agents pins.

import type { ToolKind } from "../events.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  Bash: "shell",
  PowerShell: "shell",
  BashOutput: "shell",
  TaskOutput: "shell",
  TaskStop: "shell",
  KillShell: "shell",
  Monitor: "shell",
  Write: "write",
  Edit: "write",
  MultiEdit: "write",
  NotebookEdit: "write",
  Read: "read",
  LS: "read",
  Glob: "search",
  Grep: "search",
  ToolSearch: "search",
  WebFetch: "web",
  WebSearch: "web",
  Agent: "subagent",
  Task: "subagent",
  AskUserQuestion: "question",
  TodoWrite: "todo",
  TaskCreate: "todo",
  TaskUpdate: "todo",
  TaskList: "todo",
  TaskGet: "todo",
};

export function claudeToolKind(name: string): ToolKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? "other") : "other";
}
