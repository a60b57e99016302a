// `atomic config path`: where the settings are.

import { defineCommand, jsonOption } from "../../command.ts";
import { printData } from "../../print-data.ts";

export const pathCommand = defineCommand({
  name: "path",
  summary: "Print where the settings files are, whether or not they exist",
  options: { json: jsonOption },
  async run({ options }, { io, app }) {
    const files = await app.settings.files();
    printData(io, options.json, files, () =>
      [files.user, ...(files.project === undefined ? [] : [files.project])].join("\n"),
    );
  },
});
