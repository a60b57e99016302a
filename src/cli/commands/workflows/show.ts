// `atomic workflows show`: what a workflow says about itself, and whether it may run. No file is imported.

import type { WorkflowStatus } from "../../../app/workflow-status.ts";
import { optionLines } from "../../../lib/declared-options.ts";
import { defineCommand, jsonOption } from "../../command.ts";
import { pathsFrom } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";

export const showCommand = defineCommand({
  name: "show",
  summary: "Show what a workflow takes and whether it is trusted",
  arguments: [{ name: "NAME", description: "its name or an alias" }],
  options: { json: jsonOption },
  async run({ options, arguments: [name = ""] }, { io, app }) {
    const status = await app.catalog.workflow(name);
    printData(io, options.json, status, () => statusText(status, pathsFrom(app.folders)));
  },
});

function statusText(status: WorkflowStatus, showPath: (path: string) => string): string {
  const { name, description, aliases, file, form, argumentHint, options, version, minSDKVersion, trust } = status;
  const forms = { prompt: "metadata only: one turn of an agent", graph: "graphConfig", factory: "default function" };
  const facts = [
    ["from", file === undefined ? "built in" : showPath(file)],
    ["usage", `atomic run ${name} ${argumentHint}`.trimEnd()],
    ["aliases", aliases.join(", ")],
    ["form", forms[form]],
    ["version", version ?? ""],
    ["needs", minSDKVersion === undefined ? "" : `Atomic ${minSDKVersion} or newer`],
    ["trust", trustText(trust)],
    ["imports", status.files.map(showPath).slice(1).join(", ")],
    ["packages", status.packages.join(", ")],
    ["may load", status.computed.map(showPath).join(", ")],
  ].filter(([, value]) => value !== "");
  const lines = facts.map(([label = "", value = ""]) => `${label.padEnd(10)}${value}`);
  const own = Object.keys(options).length === 0 ? [] : ["", "Options:", optionLines(options)];
  const problem = status.problem === undefined ? [] : ["", status.problem];
  return [name, description, "", ...lines, ...own, ...problem].join("\n");
}

function trustText(trust: WorkflowStatus["trust"]): string {
  return {
    builtin: "comes with the program",
    own: "your own",
    trusted: "trusted",
    new: "never trusted: `atomic trust` shows it and asks",
    changed: "changed since it was trusted: `atomic trust` shows what, and asks",
    unusable: "can't be used as it is, see below",
  }[trust];
}
