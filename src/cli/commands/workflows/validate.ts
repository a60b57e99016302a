// `atomic workflows validate`: imports what is trusted, compiles its graph, runs no node, and lists every fault.

import type { CheckResult } from "../../../app/workflow-check.ts";
import { counted } from "../../../lib/counted.ts";
import { safeLine } from "../../../lib/safe-text.ts";
import { defineCommand, jsonOption } from "../../command.ts";
import { pathsFrom } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";

export const validateCommand = defineCommand({
  name: "validate",
  summary: "Load and compile workflows without running them, and list every problem",
  details: "Needs trust: the files are imported. Without NAME, checks all workflows. Exit code 1 when one is invalid.",
  arguments: [{ name: "NAME", description: "names or aliases", isOptional: true, isList: true }],
  options: {
    json: jsonOption,
    trust: { type: "boolean", description: "trust the code of this folder, this time only" },
  },
  async run({ options, arguments: names }, { io, app }) {
    io.claimOutput();
    const results = await app.catalog.check(names, { isTrustedForThisRun: options.trust });
    const showPath = pathsFrom(app.folders);
    printData(io, options.json, { results }, () => results.map((result) => resultText(result, showPath)).join("\n"));
    const invalid = results.filter((result) => !result.isValid);
    if (invalid.length === 0) return 0;
    io.warn(`${invalid.length} of ${counted(results.length, "workflow")} can't be used.`);
    return 1;
  },
});

function resultText({ name, file, nodes, edges, error }: CheckResult, showPath: (path: string) => string): string {
  if (error?.code === "WORKFLOW_NOT_FOUND") return `invalid  ${safeLine(name, 60)}: ${error.code}\n  ${error.message}`;
  const place = file === undefined ? "built in" : showPath(file);
  if (error === undefined)
    return `ok       ${name} (${place}): ${counted(nodes ?? 0, "node")}, ${counted(edges ?? 0, "edge")}`;
  return `invalid  ${name} (${place}): ${error.code}\n  ${error.message.replaceAll("\n", "\n  ")}`;
}
