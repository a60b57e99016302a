// A list of allowed tools in OpenCode's words: rules, of which the last that fits decides.

import type { JsonObject } from "../../lib/json.ts";
import type { PermissionRule } from "./folder-api.ts";

/** One permission covers all tools that change files. */
const permissionOf: Readonly<Record<string, string>> = {
  write: "edit",
  multiedit: "edit",
  patch: "edit",
  apply_patch: "edit",
};

/** Not tools: what OpenCode asks about on the way. Asked, they are allowed; denied with all the rest, tools would fail. */
const asides = ["external_directory", "doom_loop"];

export function permissionConfig(tools: readonly string[]): JsonObject {
  return Object.fromEntries(permissionRules(tools).map(({ permission, action }) => [permission, action]));
}

export function permissionRules(tools: readonly string[]): readonly PermissionRule[] {
  const rule = (permission: string, action: PermissionRule["action"]): PermissionRule => ({
    permission,
    pattern: "*",
    action,
  });
  const allowed = new Set(tools.map((tool) => permissionOf[tool] ?? tool));
  return [
    rule("*", "deny"),
    ...asides.map((name) => rule(name, "ask")),
    ...[...allowed].map((name) => rule(name, "allow")),
  ];
}
