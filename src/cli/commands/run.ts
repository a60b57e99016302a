// `atomic run WORKFLOW [PROMPT] [options]`, and the built-in workflow that has its own command.

import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

export const runCommand = defineCommand({
  name: "run",
  summary: summaries.run,
  details:
    "Runs it here, without a terminal UI, until it is done, needs a person, or reaches a limit. `atomic run WORKFLOW --help` shows its options. Ctrl+C pauses it; `atomic resume` resumes it.",
  arguments: [
    {
      name: "WORKFLOW",
      description: "a workflow, skill, command or agent, by name or alias; `atomic commands` lists them",
    },
    { name: "PROMPT", description: "what to do, and options", isOptional: true, isList: true },
  ],
  passesThrough: true,
  hasOwnHelp: true,
  examples: [
    { line: 'atomic run ralph "Add a parser"', text: "plan, work, verify, review, fix" },
    { line: 'atomic run ralph "Add a parser" --max-cost 5 --verify "npm test"', text: "with a limit and a check" },
    { line: 'atomic run research-codebase "How are tokens refreshed?"', text: "a skill" },
    { line: 'atomic run codebase-locator "the login form"', text: "an agent" },
    { line: "atomic run ralph --help", text: "all that it takes" },
  ],
  async run(call, context) {
    const [name = "", ...words] = call.arguments;
    if (name === "--help" || name === "-h") {
      const { runHelp } = await import("../runs/run-workflow.ts");
      return context.io.print(runHelp(context.io.columns));
    }
    if (name.startsWith("-")) {
      throw new AtomicError(
        "USAGE",
        `Name the workflow first, then its options: atomic run WORKFLOW ${safeLine(name, 60)} …`,
      );
    }
    const { runWorkflowWords } = await import("../runs/run-workflow.ts");
    return runWorkflowWords(name, words, context);
  },
});

export const ralphCommand = defineCommand({
  name: "ralph",
  summary: summaries.ralph,
  details: "The same as `atomic run ralph`. `atomic ralph --help` shows its options and those of every run.",
  hasOwnHelp: true,
  arguments: [
    { name: "PROMPT", description: "what to do or a spec's path, and options", isOptional: true, isList: true },
  ],
  passesThrough: true,
  examples: [
    { line: 'atomic ralph "Build a snake game"', text: "plan it and do it" },
    { line: "atomic ralph", text: "work on research/tasks.json or research/feature-list.json" },
    { line: 'atomic ralph --yolo "Fix the login bug"', text: "no plan: the same prompt until it is complete" },
    { line: "atomic ralph --resume ID", text: "resume it" },
  ],
  async run(call, context) {
    const { runWorkflowWords } = await import("../runs/run-workflow.ts");
    return runWorkflowWords("ralph", call.arguments, context);
  },
});
