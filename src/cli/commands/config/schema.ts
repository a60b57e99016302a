// `atomic config schema`: the JSON schema of settings.json, for editors.

import { defineCommand } from "../../command.ts";

export const schemaCommand = defineCommand({
  name: "schema",
  summary: "Print the JSON schema of settings.json",
  examples: [
    {
      line: "atomic config schema > ~/.atomic/settings.schema.json",
      text: 'then: "$schema": "./settings.schema.json"',
    },
  ],
  async run(_, { io, app }) {
    io.print(JSON.stringify(await app.settings.schema(), null, 2));
  },
});
