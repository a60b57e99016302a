// `atomic workflows graph`: the graph of a workflow, drawn. Needs trust: it imports and compiles, and runs no node.

import { safeLine } from "../../../lib/safe-text.ts";
import { defineCommand, jsonOption } from "../../command.ts";
import { safeJson } from "../../../lib/safe-json.ts";

export const graphCommand = defineCommand({
  name: "graph",
  summary: "Draw the graph of a workflow",
  details: "Needs trust: the file is imported. No node runs.",
  arguments: [{ name: "NAME", description: "its name or an alias" }],
  options: {
    format: {
      type: "string",
      value: "FORMAT",
      choices: ["drawing", "mermaid"],
      description:
        "a drawing for the terminal, or a Mermaid diagram for documents; default: the drawing in a terminal, Mermaid elsewhere",
    },
    json: jsonOption,
    trust: { type: "boolean", description: "trust the code of this folder, this time only" },
  },
  examples: [
    { line: "atomic workflows graph ralph", text: "draw it here" },
    { line: "atomic workflows graph ralph --format mermaid > ralph.mmd", text: "for a document" },
  ],
  async run({ options, arguments: [name = ""] }, { io, app }) {
    io.claimOutput();
    const found = await app.catalog.graph(name, { isTrustedForThisRun: options.trust });
    if (options.json) return io.print(safeJson(found, 2));
    const format = options.format ?? (io.columns === undefined ? "mermaid" : "drawing");
    if (format === "mermaid") {
      const { mermaidOf } = await import("../../../app/graph/mermaid.ts");
      return io.print(mermaidOf(found.graph));
    }
    const { drawGraph } = await import("../../../app/graph/draw-graph.ts");
    io.print(`${found.name}: ${safeLine(found.description, 1000)}\n\n${drawGraph(found.graph, io.columns)}`);
  },
});
