// Help for the program as a whole: what `atomic` alone prints, and `atomic --help`. It is laid out here, as commander
// lays out the help of a command (a test compares): loading all commands and commander takes three times as long.

import { wrapWords } from "../lib/wrap-words.ts";
import { type CommandName, summaries } from "./summaries.ts";

export const programDescription = "Runs workflows of coding agents as graphs that survive crashes.";

const footer = [
  "Settings come from ~/.atomic/settings.json, .atomic/settings.json and variables ATOMIC_…; see `atomic config`.",
  "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 paused, 4 waits for a person, 5 a limit was reached.",
];

/** Below the commands. A pipe gets it in lines of any length. */
export function helpFooter(columns: number | undefined): string {
  const width = columns === undefined ? Number.POSITIVE_INFINITY : helpWidth(columns);
  return footer.flatMap((line) => wrapWords(line, width)).join("\n");
}

/** How each is typed, and what it does. src/main.ts answers the first two before a command line is built. */
export const programOptions = {
  version: ["-V, --version", "Print the version"],
  licenses: ["--licenses", "Print the licenses of the software in this program"],
  help: ["-h, --help", "Print this help"],
} as const;

export const helpCommandRow = ["help", "Print the help of a command"] as const;

/** Help is never wider than is easy to read. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(columns ?? 100, 120);
}

/** The same for help that a pipe gets in lines of any length. */
export function helpColumns(columns: number | undefined): number | undefined {
  return columns === undefined ? undefined : helpWidth(columns);
}

/** What `atomic` alone prints. */
export function shortHelp(): string {
  const names = Object.keys(summaries) as CommandName[];
  const width = Math.max(...names.map((name) => name.length)) + 2;
  return [
    `Atomic: ${programDescription}`,
    "",
    ...names.map((name) => `  atomic ${name.padEnd(width)}${summaries[name]}`),
    "",
    "`atomic COMMAND --help` prints the help of a command.",
  ].join("\n");
}

/** What `atomic --help` prints. */
export function programHelp(columns: number | undefined): string {
  const width = helpWidth(columns);
  const options = Object.values(programOptions);
  const commands = [...Object.entries(summaries), helpCommandRow];
  const termWidth = Math.max(...[...options, ...commands].map(([term]) => term.length));
  const items = (rows: readonly (readonly [string, string])[]): string[] =>
    rows.map(([term, text]) => {
      const indent = " ".repeat(termWidth + 4);
      const lines = wrapWords(text, width - indent.length);
      return `  ${term.padEnd(termWidth)}  ${lines.join(`\n${indent}`)}`;
    });
  return [
    "Usage: atomic [options] [command]",
    "",
    ...wrapWords(programDescription, width),
    "",
    "Options:",
    ...items(options),
    "",
    "Commands:",
    ...items(commands),
    "",
    helpFooter(columns),
  ].join("\n");
}
