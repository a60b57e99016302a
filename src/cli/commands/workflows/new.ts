// `atomic workflows new`: a file to start from.

import { safeLine } from "../../../lib/safe-text.ts";
import { defineCommand, jsonOption } from "../../command.ts";
import { pathsFrom } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";

export const newCommand = defineCommand({
  name: "new",
  summary: "Create a workflow file to start from",
  arguments: [{ name: "NAME", description: "its name, and the name of the file" }],
  options: {
    form: {
      type: "string",
      value: "FORM",
      choices: ["factory", "graph", "prompt"],
      default: "factory",
      description: "a function that builds a graph, a graph as data, or a prompt alone",
    },
    global: { type: "boolean", description: "in your own ~/.atomic/workflows, for every project" },
    json: jsonOption,
  },
  async run({ options, arguments: [name = ""] }, { io, app }) {
    const {
      name: made,
      file,
      notes,
    } = await app.catalog.create(name, { form: options.form, isGlobal: options.global });
    printData(io, options.json, { name: made, file, notes }, () => {
      // A prompt alone has no graph to look at.
      const next = options.form === "prompt" ? "run" : "workflows graph";
      return `Created ${pathsFrom(app.folders)(file)}.\nTry: atomic ${next} ${made}`;
    });
    for (const note of notes) io.warn(`notice: ${safeLine(note, 600)}`);
  },
});
