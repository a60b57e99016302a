// Generates docs/cli.md and docs/settings.schema.json from the definitions of commands and settings. `npm run docs`
// writes them; a test compares.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { usageLine } from "../src/cli/build-program.ts";
import type { CliCommand } from "../src/cli/command.ts";
import { loadCommands } from "../src/cli/command-tree.ts";
import { runOptions } from "../src/app/runs/run-options.ts";
import { optionRows } from "../src/lib/declared-options.ts";
import { settingRows, settingsSchema } from "../src/app/settings.ts";

export const cliDocumentPath = join(import.meta.dir, "../docs/cli.md");
export const settingsSchemaPath = join(import.meta.dir, "../docs/settings.schema.json");

export async function cliDocument(): Promise<string> {
  const commands = await loadCommands(undefined);
  return `${[introduction, exitCodes(), ...commands.flatMap((command) => commandText(command, "atomic", 2)), settingsText()].join("\n\n")}\n`;
}

const introduction = `# The command line

<!-- Made from the commands' definitions by \`npm run docs\`. Change those, not this file. -->

Every command that lists takes \`--json\`. Results go to standard output. Progress and errors go to standard error; an error gives its code (see [errors.md](errors.md)), what happened, and what to do. Listing, showing and asking for help never run code of a project.`;

function exitCodes(): string {
  const rows = [
    ["0", "done"],
    ["1", "failed; the message says why"],
    ["2", "wrong usage"],
    ["3", "paused from elsewhere"],
    ["4", "needs an answer, and no one is there to give it"],
    ["5", "a limit was reached, and work is left"],
    ["129, 130, 131, 143", "stopped by a signal (SIGHUP, Ctrl+C, SIGQUIT, SIGTERM)"],
  ];
  return grid(["exit code", "meaning"], rows);
}

function commandText(command: CliCommand, parent: string, level: number): readonly string[] {
  const path = `${parent} ${command.name}`;
  const parts = [`${"#".repeat(level)} ${path}`, `${command.summary}.`];
  if (command.details !== undefined) parts.push(command.details);
  if (command.run !== undefined) parts.push(code([usageLine(path, command)]));
  const rows = [
    ...(command.arguments ?? []).map(({ name, description }) => [name, description] as const),
    ...optionRows(command.options ?? {}),
  ];
  if (rows.length > 0) parts.push(table(rows));
  if (command.name === "run") parts.push("Options of every run:", table(optionRows(runOptions)));
  if (command.defaultSubcommand !== undefined)
    parts.push(`Without a subcommand: \`${path} ${command.defaultSubcommand}\`.`);
  if (command.examples !== undefined) {
    const width = Math.max(...command.examples.map(({ line }) => line.length)) + 2;
    parts.push(code(command.examples.map(({ line, text }) => `${line.padEnd(width)}# ${text}`)));
  }
  return [...parts, ...(command.subcommands ?? []).flatMap((sub) => commandText(sub, path, level + 1))];
}

function settingsText(): string {
  const rows = settingRows().map(({ key, variable, description, project }) => [
    key,
    variable === undefined ? "" : `\`${variable}\``,
    `${description} ${project}`.trim(),
  ]);
  return [
    "## Settings",
    "`~/.atomic/settings.json` is yours, `.atomic/settings.json` the project's; both are JSON with comments. A variable comes after the files, a flag last.",
    grid(
      ["setting", "variable", "meaning"],
      rows.map(([key = "", ...rest]) => [`\`${key}\``, ...rest]),
    ),
  ].join("\n\n");
}

function table(rows: readonly (readonly [string, string])[]): string {
  return grid(
    ["", ""],
    rows.map(([term, text]) => [`\`${term}\``, text]),
  );
}

function grid(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = headings.map((_, i) => Math.max(3, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body.map(line)].join("\n");
}

function code(lines: readonly string[]): string {
  return ["```", ...lines, "```"].join("\n");
}

if (import.meta.main) {
  writeFileSync(cliDocumentPath, await cliDocument());
  writeFileSync(settingsSchemaPath, `${JSON.stringify(settingsSchema(), null, 2)}\n`);
}
