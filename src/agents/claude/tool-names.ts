// What a definition of an agent calls tools, in the program's own words. Definitions come with lower-case names, of
// whichever program their author had in mind; this one takes its own spelling only, and offers no tool for any other. One
// name may be several tools here, some of them of other versions of the program.

import type { ToolRules } from "../tool-rules.ts";

const own = [
  "Agent",
  "AskUserQuestion",
  "Bash",
  "BashOutput",
  "Edit",
  "ExitPlanMode",
  "Glob",
  "Grep",
  "KillShell",
  "LS",
  "MultiEdit",
  "NotebookEdit",
  "NotebookRead",
  "Read",
  "Skill",
  "SlashCommand",
  "Task",
  "WebFetch",
  "WebSearch",
  "Write",
];

const names: ReadonlyMap<string, readonly string[]> = new Map([
  ...own.map((name): [string, string[]] => [name.toLowerCase(), [name]]),
  ["apply_patch", ["Edit"]],
  ["ask_user", ["AskUserQuestion"]],
  ["create", ["Write"]],
  ["execute", ["Bash"]],
  ["list", ["LS"]],
  ["patch", ["Edit"]],
  ["question", ["AskUserQuestion"]],
  ["shell", ["Bash"]],
  ["task", ["Agent"]],
  ["todowrite", ["TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]],
  ["view", ["Read"]],
  ["web_fetch", ["WebFetch"]],
  ["web_search", ["WebSearch"]],
]);

/** `{ bash: ["git:*"] }` as the program writes it: `Bash(git:*)`. */
export function claudeToolRules(rules: ToolRules | undefined): string[] {
  return Object.entries(rules ?? {}).flatMap(([tool, list]) =>
    claudeToolNames([tool]).flatMap((name) => list.map((rule) => `${name}(${rule})`)),
  );
}

export const claudeQuestionTool = "AskUserQuestion";

export function claudeToolNames(tools: readonly string[]): string[] {
  return [...new Set(tools.flatMap((tool) => names.get(tool.toLowerCase()) ?? [tool]))];
}
