// The texts around the commands: what `atomic` alone prints, and what stands below `atomic --help`.

import type { CliCommand } from "./command.ts";

export const programDescription = "Runs workflows of coding agents as graphs that survive crashes.";

export const helpFooter = `Settings come from ~/.atomic/settings.json, .atomic/settings.json and variables ATOMIC_…; see \`atomic config\`.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 paused, 4 waits for a person, 5 a limit was reached.`;

/** What `atomic` alone prints. */
export function shortHelp(tree: readonly CliCommand[]): string {
  const width = Math.max(...tree.map((command) => command.name.length)) + 2;
  return [
    `Atomic: ${programDescription}`,
    "",
    ...tree.map((command) => `  atomic ${command.name.padEnd(width)}${command.summary}`),
    "",
    "`atomic COMMAND --help` says more about one of them.",
  ].join("\n");
}
