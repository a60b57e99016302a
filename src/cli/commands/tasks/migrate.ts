// `atomic tasks migrate`: an older feature list as a task list.

import { AtomicError } from "../../../lib/errors.ts";
import { defineCommand, defineGroup, jsonOption } from "../../command.ts";
import { summaries } from "../../summaries.ts";
import { printData } from "../../print-data.ts";

const migrateCommand = defineCommand({
  name: "migrate",
  summary: "Turn a feature list into a task list (tasks.json, version 1.0)",
  details: "Prints the task list, or writes it with --output. The feature list itself stays as it is.",
  arguments: [{ name: "FILE", description: "a feature list of either shape, or a tasks.json to bring into form" }],
  options: {
    output: { type: "string", short: "o", value: "FILE", description: "write it here; the file must not be there yet" },
    json: { ...jsonOption, description: "with --output: say as JSON what was written" },
  },
  examples: [
    {
      line: "atomic tasks migrate research/feature-list.json -o research/tasks.json",
      text: "for the next `atomic ralph`",
    },
  ],
  async run({ options, arguments: [file = ""] }, { io, app }) {
    const { resolve } = await import("node:path");
    const { migrateTaskList, readTaskFile } = await import("../../../tasks/task-file.ts");
    const list = readTaskFile(resolve(app.place.currentDir, file));
    if (list === undefined) throw new AtomicError("USAGE", `There is no file ${file}.`);
    const text = migrateTaskList(list, new Date(app.now()));
    if (options.output === undefined) return io.print(text.trimEnd());
    const { createFileAtomically } = await import("../../../lib/atomic-file.ts");
    const output = resolve(app.place.currentDir, options.output);
    if (!createFileAtomically(output, text, "shared")) {
      throw new AtomicError(
        "FILE_EXISTS",
        `${options.output} is already there, and was left as it is. Choose another name.`,
      );
    }
    const data = { output, format: list.format, tasks: list.tasks.length };
    printData(
      io,
      options.json,
      data,
      () => `Wrote ${list.tasks.length} task${list.tasks.length === 1 ? "" : "s"} to ${options.output}.`,
    );
  },
});

export const tasksCommand = defineGroup({
  name: "tasks",
  summary: summaries.tasks,
  subcommands: [migrateCommand],
});
