// `atomic config get`: one value, alone, for scripts.

import { defineCommand, jsonOption } from "../../command.ts";
import { safeJson } from "../../../lib/safe-json.ts";

export const getCommand = defineCommand({
  name: "get",
  summary: "Print the value of a setting",
  details: "Prints nothing and exits with 1 if the setting has no value.",
  arguments: [{ name: "KEY", description: "for example limits.maxCost" }],
  options: { json: jsonOption },
  async run({ options, arguments: [key = ""] }, { io, app }) {
    const setting = await app.settings.read(key);
    if (options.json) io.print(safeJson(setting ?? { key }, 2));
    else if (setting !== undefined) io.print(String(setting.value));
    return setting === undefined ? 1 : 0;
  },
});
