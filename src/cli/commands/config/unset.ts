// `atomic config unset`: takes one value out of a settings file.

import { defineCommand, jsonOption } from "../../command.ts";
import { pathsFrom } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";
import { projectOption } from "./set.ts";

export const unsetCommand = defineCommand({
  name: "unset",
  summary: "Remove a value from your own settings, or from the project's",
  arguments: [{ name: "KEY", description: "for example agent" }],
  options: { project: projectOption, json: jsonOption },
  async run({ options, arguments: [key = ""] }, { io, app }) {
    const { file, wasThere } = await app.settings.drop({ key, isProject: options.project });
    const place = pathsFrom(app.folders)(file);
    printData(io, options.json, { key, file, wasThere }, () => {
      return wasThere ? `${key} is no longer set in ${place}.` : `${key} was not set in ${place}.`;
    });
  },
});
