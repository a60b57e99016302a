// `atomic init`: the folder of a project, with a first workflow and types for the editor.

import { defineCommand, jsonOption } from "../command.ts";
import { summaries } from "../summaries.ts";
import { pathsFrom } from "../listing-text.ts";
import { printData } from "../print-data.ts";

export const initCommand = defineCommand({
  name: "init",
  summary: summaries.init,
  details: "Safe to repeat: existing files stay as they are, except for those that Atomic wrote for this machine.",
  options: { json: jsonOption },
  async run({ options }, { io, app }) {
    const result = await app.catalog.init();
    const showPath = pathsFrom(app.folders);
    printData(io, options.json, result, () => {
      const lines = [
        ...result.created.map((path) => `created  ${showPath(path)}`),
        ...result.updated.map((path) => `updated  ${showPath(path)}`),
        ...result.kept.map((path) => `kept     ${showPath(path)}`),
      ];
      return [...lines, "", 'Try: atomic run hello "Ada"'].join("\n");
    });
  },
});
