// `atomic commands`: everything that can be typed after a slash in the chat, and why something can't.

import type { Listing, SlashRow } from "../../app/listings.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { hiddenText, pathsFrom, problemsText } from "../listing-text.ts";
import { printData } from "../print-data.ts";
import { table } from "../table.ts";

export const commandsCommand = defineCommand({
  name: "commands",
  summary: "List what can be typed after a slash in the chat",
  details: "Built-in commands, and one for every workflow, skill, command and agent that was found.",
  options: { json: jsonOption },
  async run({ options }, { io, parts }) {
    const { openListing } = await import("../../app/listing-workspace.ts");
    const { listSlashCommands } = await import("../../app/slash-commands.ts");
    const listing = listSlashCommands(openListing(parts));
    printData(io, options.json, listing, () => listingText(listing, pathsFrom(parts.place), io.columns));
  },
});

function listingText(
  { found, hidden, problems }: Listing<SlashRow>,
  showPath: (path: string) => string,
  columns: number | undefined,
): string {
  const rows = found.map(({ name, aliases, kind, file, description }) => [
    [name, ...aliases].map((each) => `/${each}`).join(", "),
    kind,
    file === undefined ? "built in" : showPath(file),
    description,
  ]);
  const list = table(["NAME", "KIND", "FROM", "DESCRIPTION"], rows, columns);
  return list + hiddenText(hidden, showPath) + problemsText(problems, showPath);
}
