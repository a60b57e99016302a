// `atomic config set`: changes one value in a settings file and leaves the rest of it, comments included.

import { defineCommand, jsonOption } from "../../command.ts";
import { pathsFrom } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";

export const projectOption = {
  type: "boolean",
  description: "in the project's .atomic/settings.json instead of your own",
} as const;

export const setCommand = defineCommand({
  name: "set",
  summary: "Set a value in your own settings, or in the project's",
  arguments: [
    { name: "KEY", description: "for example agent" },
    { name: "VALUE", description: "the new value" },
  ],
  options: { project: projectOption, json: jsonOption },
  examples: [{ line: "atomic config set limits.maxCost 5", text: "no run may cost more than $5" }],
  async run({ options, arguments: [key = "", value = ""] }, { io, app }) {
    const { file, overriddenBy, leftOut } = await app.settings.change({ key, value, isProject: options.project });
    const showPath = pathsFrom(app.folders);
    printData(
      io,
      options.json,
      { key, value, file, overriddenBy, leftOut },
      () => `${key} = ${value} in ${showPath(file)}`,
    );
    if (overriddenBy !== undefined) io.warn(`It has no effect now: ${overriddenBy} overrides it.`);
    if (leftOut !== undefined) io.warn(`It has no effect: ${leftOut}`);
  },
});
