// `atomic run WORKFLOW …`: from the words to the exit code. No workflow is known here by name.

import type { StartChoice } from "../../app/runs/app-runs.ts";
import { peekWords } from "../../app/runs/peek-words.ts";
import { runOptions, optionText } from "../../app/runs/run-options.ts";
import { workflowHelp } from "../../app/runs/workflow-words.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { CliContext } from "../command.ts";
import { helpColumns } from "../help-texts.ts";
import { mayRunBeside } from "./ask-about-live.ts";
import { askTrustAtTerminal } from "./ask-trust.ts";
import { driveRun } from "./drive-run.ts";
import { allDoneText, chooseAboutEarlierWork, leavingOutText } from "./earlier-work.ts";
import { enterFolder } from "./enter-folder.ts";
import { resumeRun, resumeWithWords } from "./resume-run.ts";

/** `words`: what stands after the workflow's name. */
export async function runWorkflowWords(name: string, words: readonly string[], context: CliContext): Promise<number> {
  const { io } = context;
  const { values, isHelp } = peekWords(words, `atomic run ${safeLine(name, 60)}`);
  const app = context.app.inFolder(optionText(values, "cwd"));
  if (!isHelp && optionText(values, "resume") !== undefined) return resumeWithWords(name, words, context);
  if (isHelp) {
    io.print(workflowHelp(await app.runs.usage(name), runOptions, helpColumns(io.columns)));
    return 0;
  }
  io.claimOutput();
  const ports = {
    askTrust: askTrustAtTerminal(io, values),
    onNotice: (text: string): void => io.warn(`notice: ${safeLine(text, 1000)}`),
  };
  const prepared = await app.runs.prepare({ workflow: name, words }, ports);
  const { tasks, earlier, workflow } = prepared;
  const isConcurrent = mayRunBeside(prepared.live, io, values);
  let earlierWork: StartChoice["earlierWork"];
  if (tasks !== undefined && earlier !== undefined) {
    const choice = tasks.earlierWork === "ask" ? chooseAboutEarlierWork(earlier, io, values) : tasks.earlierWork;
    if (choice === "resume") return resumeRun({ id: earlier.run, values, workflow }, { io, app });
    earlierWork = choice;
    if (choice === "leave-out" && values["quiet"] !== true) io.warn(leavingOutText(earlier));
  }
  const isAllDone = tasks?.tasks.every(({ status }) => status === "completed") === true;
  if (isAllDone && values["quiet"] !== true) io.warn(allDoneText(tasks.file));
  return driveRun({
    app,
    io,
    values,
    prepared,
    launch: (frontEnd) => {
      enterFolder(prepared.cwd);
      return app.runs.start(prepared, { ...frontEnd, earlierWork, isConcurrent });
    },
  });
}

/** What every workflow takes. */
export function runHelp(columns: number | undefined): string {
  const description =
    "Runs a workflow here, without a terminal UI, until it is done, needs a person, or reaches a limit. Ctrl+C pauses it; `atomic resume` resumes it. `atomic run WORKFLOW --help` also shows what that workflow takes; `atomic workflows` lists them.";
  return workflowHelp({ name: "WORKFLOW", description, prompt: "optional" }, runOptions, helpColumns(columns));
}
