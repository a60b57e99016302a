// `atomic commands`: everything that can be typed after a slash in the chat, and why something can't; or one in full.

import type { Listing, SlashRow } from "../../app/listings.ts";
import type { CommandDetails } from "../../app/run-command.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { summaries } from "../summaries.ts";
import { hiddenText, namedIn, pathsFrom, problemsText } from "../listing-text.ts";
import { printData } from "../print-data.ts";
import { table } from "../table.ts";

export const commandsCommand = defineCommand({
  name: "commands",
  summary: summaries.commands,
  details: "Built-in commands, and one for every workflow, skill, command and agent that was found.",
  arguments: [{ name: "NAME", description: "the command to show in full", isOptional: true }],
  options: { json: jsonOption },
  async run({ options, arguments: [wanted] }, { io, app }) {
    const showPath = pathsFrom(app.folders);
    if (wanted !== undefined) {
      const details = await namedIn("commands", app.commands.describe(wanted));
      return printData(io, options.json, details, () => detailsText(details, showPath));
    }
    const listing = await app.commands.list();
    printData(io, options.json, listing, () => listingText(listing, showPath, io.columns));
  },
});

function listingText(
  { found, hidden, problems }: Listing<SlashRow>,
  showPath: (path: string) => string,
  columns: number | undefined,
): string {
  const rows = found.map((row) => [namesText(row), row.kind, fromText(row, showPath), row.description]);
  const list = table(["NAME", "KIND", "FROM", "DESCRIPTION"], rows, columns);
  return list + hiddenText(hidden, showPath) + problemsText(problems, showPath);
}

function detailsText(row: CommandDetails, showPath: (path: string) => string): string {
  const { name, kind, description, argumentHint = "", prompt } = row;
  const usage = `/${name} ${argumentHint}`.trimEnd();
  const more = kind === "workflow" ? ["", `\`atomic workflows show ${name}\` says more about it.`] : [];
  const text = prompt === undefined ? [] : ["", prompt.trimEnd()];
  return [
    namesText(row),
    description,
    "",
    `kind      ${kind}`,
    `from      ${fromText(row, showPath)}`,
    `usage     ${usage}`,
    ...more,
    ...text,
  ].join("\n");
}

function namesText({ name, aliases }: SlashRow): string {
  return [name, ...aliases].map((each) => `/${each}`).join(", ");
}

function fromText({ file }: SlashRow, showPath: (path: string) => string): string {
  return file === undefined ? "built in" : showPath(file);
}
