// `atomic workflows list`: what was found, without importing a file.

import { defineCommand, jsonOption } from "../../command.ts";
import { hiddenText, namesText, pathsFrom, problemsText } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";
import { table } from "../../table.ts";

export const workflowsListCommand = defineCommand({
  name: "list",
  summary: "List workflows, without running any of their code",
  options: { json: jsonOption },
  async run({ options }, { io, app }) {
    const listing = await app.catalog.workflows();
    const showPath = pathsFrom(app.folders);
    printData(io, options.json, listing, () => {
      if (listing.found.length === 0 && listing.problems.length === 0) {
        return "There are no workflows here yet. `atomic init` creates one.";
      }
      const rows = listing.found.map((row) => {
        return [namesText(row), row.file === undefined ? "built in" : showPath(row.file), row.description];
      });
      const list = table(["NAME", "FROM", "DESCRIPTION"], rows, io.columns);
      return list + hiddenText(listing.hidden, showPath) + problemsText(listing.problems, showPath);
    });
  },
});
