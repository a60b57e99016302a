// `atomic resume [ID]`

import { AtomicError } from "../../lib/errors.ts";
import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";
import { resumeTermOptions, startOptions } from "../../app/runs/run-options.ts";

export const resumeCommand = defineCommand({
  name: "resume",
  summary: summaries.resume,
  details:
    "A failed run retries what failed. Without an ID: the run of this folder that can be resumed; if there are several, it asks which one, or lists them if there is no terminal to ask at. It keeps its workflow, prompt, options, agent and limits, except for options given here. Recorded work is not repeated.",
  arguments: [
    {
      name: "ID",
      description: "the run: its id, a unique prefix of it, or @last; `atomic sessions` lists them",
      isOptional: true,
    },
  ],
  options: {
    ...resumeTermOptions,
    cwd: { ...startOptions.cwd, description: "without an ID: the folder whose run to resume" },
    from: {
      type: "string",
      value: "NODE|EVENT",
      description:
        "fork a new run from right before the last visit of this node, or from right after this event, and resume that; the old run stays",
    },
    "take-over": { type: "boolean", description: "take the run over from a process that can't be seen from here" },
  },
  examples: [
    { line: "atomic resume", text: "the one of this folder that stopped" },
    { line: "atomic resume @last", text: "the newest of this folder" },
    { line: "atomic resume ID --max-cost 10", text: "with a higher limit" },
    { line: "atomic resume ID --from review", text: "as a new run, from its last review on" },
  ],
  async run({ options, arguments: [id] }, context) {
    if (id !== undefined && options.cwd !== undefined) {
      throw new AtomicError("USAGE", "--cwd chooses the folder whose run is resumed; with an ID it has no meaning.");
    }
    const { resumeRun } = await import("../runs/resume-run.ts");
    const { "take-over": takeOver, cwd, from, ...values } = options;
    const { io, app } = context;
    return resumeRun({ id, values, takeOver, from }, { io, app: app.inFolder(cwd) });
  },
});
