// `atomic commands`: everything that can be typed after a slash in the chat, and why something can't; or one in full.

import type { EntityDetails, Listing, SlashRow } from "../../app/listings.ts";
import type { App } from "../../app/create-app.ts";
import { notFoundText } from "../../lib/did-you-mean.ts";
import { AtomicError } from "../../lib/errors.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { summaries } from "../summaries.ts";
import { hiddenText, pathsFrom, problemsText } from "../listing-text.ts";
import { printData } from "../print-data.ts";
import { table } from "../table.ts";

export const commandsCommand = defineCommand({
  name: "commands",
  summary: summaries.commands,
  details: "Built-in commands, and one for every workflow, skill, command and agent that was found.",
  arguments: [{ name: "NAME", description: "the command to show in full", isOptional: true }],
  options: { json: jsonOption },
  async run({ options, arguments: [wanted] }, { io, app }) {
    const listing = await app.commands.list();
    const showPath = pathsFrom(app.place);
    if (wanted !== undefined) {
      const row = findRow(listing.found, wanted);
      const details = { ...row, ...(await promptOf(app, row)) };
      return printData(io, options.json, details, () => detailsText(details, showPath));
    }
    printData(io, options.json, listing, () => listingText(listing, showPath, io.columns));
  },
});

function findRow(rows: readonly SlashRow[], wanted: string): SlashRow {
  const key = wanted.replace(/^\//, "").normalize("NFC").toLowerCase();
  const found = rows.find((row) => row.name === key) ?? rows.find((row) => row.aliases.includes(key));
  if (found !== undefined) return found;
  const names = rows.flatMap((row) => [row.name, ...row.aliases]);
  throw new AtomicError("ENTITY_NOT_FOUND", notFoundText("Command", wanted, names), {
    details: { type: "command", name: wanted },
  });
}

/** What it sends to the agent; nothing for a command of Atomic itself, and for a workflow. */
async function promptOf(app: App, { kind, name }: SlashRow): Promise<Partial<Pick<EntityDetails, "prompt">>> {
  if (kind === "builtin" || kind === "workflow") return {};
  return { prompt: (await app.catalog.entity(kind, name)).prompt };
}

function listingText(
  { found, hidden, problems }: Listing<SlashRow>,
  showPath: (path: string) => string,
  columns: number | undefined,
): string {
  const rows = found.map((row) => [namesText(row), row.kind, fromText(row, showPath), row.description]);
  const list = table(["NAME", "KIND", "FROM", "DESCRIPTION"], rows, columns);
  return list + hiddenText(hidden, showPath) + problemsText(problems, showPath);
}

function detailsText(row: SlashRow & { readonly prompt?: string }, showPath: (path: string) => string): string {
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
