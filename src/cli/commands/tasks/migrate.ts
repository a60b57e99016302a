// `atomic tasks migrate`: an older feature list as a task list.

import { defineCommand, defineGroup, jsonOption } from "../../command.ts";
import { summaries } from "../../summaries.ts";
import { printData } from "../../print-data.ts";

const migrateCommand = defineCommand({
  name: "migrate",
  summary: "Turn a feature list into a task list (tasks.json, version 1.0)",
  details: "Prints the task list, or writes it with --output. The feature list itself stays as it is.",
  arguments: [{ name: "FILE", description: "a feature list in either format, or a tasks.json to normalise" }],
  options: {
    output: { type: "string", short: "o", value: "FILE", description: "write to this file, which must not exist yet" },
    json: { ...jsonOption, description: "with --output: report what was written, as JSON" },
  },
  examples: [
    {
      line: "atomic tasks migrate research/feature-list.json -o research/tasks.json",
      text: "for the next `atomic ralph`",
    },
  ],
  async run({ options, arguments: [file = ""] }, { io, app }) {
    const { text, ...written } = await app.tasks.migrate(file, options.output);
    if (options.output === undefined) return io.print(text.trimEnd());
    const { output, format, tasks } = written;
    printData(
      io,
      options.json,
      { output, format, tasks },
      () => `Wrote ${tasks} task${tasks === 1 ? "" : "s"} to ${options.output}.`,
    );
  },
});

export const tasksCommand = defineGroup({
  name: "tasks",
  summary: summaries.tasks,
  subcommands: [migrateCommand],
});
