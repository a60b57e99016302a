// What the program's tools are, for a row on a screen. Names as of the version that tests/agents pins.

import type { ToolKind } from "../events.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  bash: "shell",
  powershell: "shell",
  read_bash: "shell",
  write_bash: "shell",
  stop_bash: "shell",
  list_bash: "shell",
  create: "write",
  edit: "write",
  apply_patch: "write",
  str_replace_editor: "write",
  view: "read",
  lsp: "read",
  grep: "search",
  rg: "search",
  glob: "search",
  semantic_code_search: "search",
  tool_search_tool: "search",
  web_fetch: "web",
  web_search: "web",
  task: "subagent",
  read_agent: "subagent",
  write_agent: "subagent",
  list_agents: "subagent",
  ask_user: "question",
  update_todo: "todo",
  // The session's own database, which has the table `todos` and is offered for it.
  sql: "todo",
};

export function copilotToolKind(name: string): ToolKind {
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? "other") : "other";
}
