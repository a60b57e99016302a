import { expect, test } from "bun:test";
import { claudeToolNames } from "./claude/tool-names.ts";
import { copilotToolNames } from "./copilot/tool-names.ts";
import { permissionRules } from "./opencode/tool-permissions.ts";

const definition = ["bash", "task", "edit", "ls", "read", "write"];

test("a definition's tools get Claude's own spelling, and a tool it does not know stays as it is", () => {
  expect(claudeToolNames(definition)).toEqual(["Bash", "Agent", "Edit", "LS", "Read", "Write"]);
  expect(claudeToolNames(["Grep", "view", "mcp__Server__Tool"])).toEqual(["Grep", "Read", "mcp__Server__Tool"]);
  expect(claudeToolNames(["todowrite"])).toContain("TaskUpdate");
});

test("a definition's tools are all that belong to them in Copilot", () => {
  expect(copilotToolNames(["read", "write", "grep", "view", "mcp__Server__Tool"])).toEqual([
    "view",
    "create",
    "grep",
    "rg",
    "mcp__Server__Tool",
  ]);
  expect(copilotToolNames(["bash"])).toContain("stop_bash");
});

test("a definition's tools are what OpenCode has permissions for, and a session may always ask", () => {
  const allowed = permissionRules([...definition, "Grep", "mcp__Server__Tool"])
    .filter(({ action }) => action === "allow")
    .map(({ permission }) => permission);
  expect(allowed).toEqual(["bash", "task", "edit", "list", "read", "grep", "mcp__Server__Tool", "question"]);
});
