// What a definition of an agent calls tools, in the program's own words. Definitions come with lower-case names, of
// whichever program their author had in mind; this one takes its own spelling only, and offers no tool for any other.

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
  "TodoWrite",
  "WebFetch",
  "WebSearch",
  "Write",
];

const names: ReadonlyMap<string, string> = new Map([
  ...own.map((name): [string, string] => [name.toLowerCase(), name]),
  ["apply_patch", "Edit"],
  ["ask_user", "AskUserQuestion"],
  ["create", "Write"],
  ["execute", "Bash"],
  ["list", "LS"],
  ["patch", "Edit"],
  ["question", "AskUserQuestion"],
  ["shell", "Bash"],
  ["task", "Agent"],
  ["view", "Read"],
  ["web_fetch", "WebFetch"],
  ["web_search", "WebSearch"],
]);

export const claudeQuestionTool = "AskUserQuestion";

export function claudeToolNames(tools: readonly string[]): string[] {
  return [...new Set(tools.map((tool) => names.get(tool.toLowerCase()) ?? tool))];
}
