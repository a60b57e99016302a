// A list of allowed tools in OpenCode's words: rules, of which the last that fits decides.

import type { JsonObject } from "../../lib/json.ts";
import { isShellTool, shellRules, type ToolRules } from "../tool-rules.ts";
import type { PermissionRule } from "./folder-api.ts";

/** One permission covers all tools that change files. Definitions may use the words of other programs. */
const permissionOf: Readonly<Record<string, string>> = {
  agent: "task",
  apply_patch: "edit",
  ask_user: "question",
  askuserquestion: "question",
  create: "edit",
  execute: "bash",
  ls: "list",
  multiedit: "edit",
  notebookedit: "edit",
  notebookread: "read",
  patch: "edit",
  shell: "bash",
  view: "read",
  web_fetch: "webfetch",
  web_search: "websearch",
  write: "edit",
};

/**
 * Not tools: what OpenCode asks about on the way. Asked, they are allowed; denied with all the rest, tools would fail.
 */
const asides = ["external_directory", "doom_loop"];

/** For a sub-agent, which can't ask questions. */
export function permissionConfig(tools: readonly string[]): JsonObject {
  return Object.fromEntries(rulesFor(tools).map(({ permission, action }) => [permission, action]));
}

/** Of a session. An agent that may do little may still ask. */
export function permissionRules(tools: readonly string[], rules?: ToolRules): readonly PermissionRule[] {
  const commands = shellRules(rules);
  if (commands === undefined) return rulesFor([...tools, "question"]);
  const allowed = commands.flatMap(({ words, isPrefix }) => [words, ...(isPrefix ? [`${words} *`] : [])]);
  return [
    ...rulesFor([...tools.filter((tool) => !isShellTool(tool)), "question"]),
    ...allowed.map((pattern): PermissionRule => ({ permission: "bash", pattern, action: "allow" })),
  ];
}

function rulesFor(tools: readonly string[]): readonly PermissionRule[] {
  const rule = (permission: string, action: PermissionRule["action"]): PermissionRule => ({
    permission,
    pattern: "*",
    action,
  });
  return [
    rule("*", "deny"),
    ...asides.map((name) => rule(name, "ask")),
    ...[...new Set(tools.map(permissionFor))].map((name) => rule(name, "allow")),
  ];
}

function permissionFor(tool: string): string {
  const name = tool.toLowerCase();
  if (Object.hasOwn(permissionOf, name)) return permissionOf[name] ?? name;
  // Names of MCP tools are a server's own.
  return name.startsWith("mcp__") ? tool : name;
}
