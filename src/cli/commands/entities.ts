// `atomic agents` and `atomic skills`: what was found, from where, what hides what, what was refused; or one in full.

import type { EntityDetails, EntityRow, Listing } from "../../app/listings.ts";
import { defineCommand, jsonOption, type CliCommand } from "../command.ts";
import { summaries } from "../summaries.ts";
import { hiddenText, namedIn, namesText, pathsFrom, problemsText } from "../listing-text.ts";
import { printData } from "../print-data.ts";
import { table } from "../table.ts";

export const agentsCommand = entityCommand("agent", "agents", summaries.agents);
export const skillsCommand = entityCommand("skill", "skills", summaries.skills);

function entityCommand(type: "agent" | "skill", name: string, summary: string): CliCommand {
  return defineCommand({
    name,
    summary,
    details: `Found in .atomic, .claude, .opencode and .github of this folder, in the same places of your home, and built in. \`atomic:NAME\` always means the built-in one.`,
    arguments: [{ name: "NAME", description: `the ${type} to show in full`, isOptional: true }],
    options: { json: jsonOption },
    async run({ options, arguments: [wanted] }, { io, app }) {
      const showPath = pathsFrom(app.folders);
      if (wanted !== undefined) {
        const details = await namedIn(name, app.catalog.entity(type, wanted));
        return printData(io, options.json, details, () => detailsText(details, showPath));
      }
      const listing = await app.catalog.entities(type);
      printData(io, options.json, listing, () => listingText(listing, showPath, io.columns));
    },
  });
}

function listingText(
  { found, hidden, problems }: Listing<EntityRow>,
  showPath: (path: string) => string,
  columns: number | undefined,
): string {
  const rows = found.map((row) => [namesText(row), fromText(row, showPath), described(row)]);
  return (
    table(["NAME", "FROM", "DESCRIPTION"], rows, columns) +
    hiddenText(hidden, showPath) +
    problemsText(problems, showPath)
  );
}

function described({ label, description }: EntityRow): string {
  return label === undefined ? description : `${label}: ${description}`;
}

function fromText({ file }: EntityRow, showPath: (path: string) => string): string {
  return file === undefined ? "built in" : showPath(file);
}

function detailsText(details: EntityDetails, showPath: (path: string) => string): string {
  const { name, label, description, aliases, argumentHint, model, tools } = details;
  const facts = [
    ["label", label ?? ""],
    ["from", fromText(details, showPath)],
    ["aliases", aliases.join(", ")],
    ["arguments", argumentHint ?? ""],
    ["model", model ?? ""],
    ["tools", tools?.join(", ") ?? ""],
  ].filter(([, value]) => value !== "");
  const lines = facts.map(([label = "", value = ""]) => `${label.padEnd(10)}${value}`);
  return [name, description, "", ...lines, "", details.prompt.trimEnd()].join("\n");
}
