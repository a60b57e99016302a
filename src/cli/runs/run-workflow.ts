// `atomic run WORKFLOW …`: from the words to the exit code. No workflow is known here by name.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createRunApp, type RunParts } from "../../app/run-app.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { CliContext } from "../command.ts";
import { parseWorkflowWords, workflowHelp } from "../../app/runs/workflow-words.ts";
import { askTrustAtTerminal } from "./ask-trust.ts";
import { driveRun } from "./drive-run.ts";
import { allDoneText, chooseAboutEarlierWork, leavingOutText } from "./earlier-work.ts";
import { enterFolder } from "./enter-folder.ts";
import { peekWords } from "../../app/runs/peek-words.ts";
import { resumeRun, resumeWithWords } from "./resume-run.ts";
import { agentFrom, limitsFrom, listOf, runOptions, textOf } from "../../app/runs/run-options.ts";

/** `words`: what stands after the workflow's name. */
export async function runWorkflow(name: string, words: readonly string[], context: CliContext): Promise<number> {
  const { io } = context;
  const early = peekWords(words, `atomic run ${safeLine(name, 60)}`);
  const parts = inFolder(context.parts, textOf(early.values, "cwd"));
  if (!early.isHelp && textOf(early.values, "resume") !== undefined) return resumeWithWords(name, words, context);
  const app = createRunApp(parts);
  const onNotice = (text: string): void => io.warn(`notice: ${safeLine(text, 1000)}`);
  const otherwise = { kind: app.settings.text("agent") ?? "claude" };
  const project = app.openProject({
    isTrustedForThisRun: early.values["trust"] === true,
    agent: textOf(early.values, "agent") ?? otherwise.kind,
    askTrust: early.isHelp ? undefined : askTrustAtTerminal(io, early.values),
    onNotice: early.isHelp ? () => undefined : onNotice,
  });
  if (early.isHelp) {
    io.print(workflowHelp(project.usage(name), runOptions));
    return 0;
  }
  io.claimOutput();
  for (const { message, at } of app.settings.problems) onNotice(`${at}: ${message}`);
  const definition = await project.workflow(name);
  const { options, run: values, prompt } = parseWorkflowWords(definition, words, runOptions);
  const agent = { ...agentFrom(values, otherwise), programs: app.programs };
  const model = textOf(values, "model") ?? app.settings.text("model");
  const declared: OptionValues = { ...options, verify: listOf(values, "verify") };
  let request = { definition, prompt, options: declared };
  const { tasks, earlier } = await app.runs.prepareStart({ ...request, cwd: project.cwd });
  let completedEarlier: readonly string[] | undefined;
  if (tasks !== undefined && earlier !== undefined) {
    const choice = tasks.earlierWork === "ask" ? chooseAboutEarlierWork(earlier, io, values) : tasks.earlierWork;
    if (choice === "resume")
      return resumeRun({ id: earlier.run, values, workflow: definition.name }, { ...context, parts });
    if (choice === "leave-out") {
      completedEarlier = earlier.completedIds;
      if (values["quiet"] !== true) io.warn(leavingOutText(earlier));
    }
    // Also what the list itself calls done.
    if (choice === "redo" && "redo" in options) request = { ...request, options: { ...request.options, redo: true } };
  }
  const isAllDone = tasks?.tasks.every(({ status }) => status === "completed") === true;
  if (isAllDone && values["quiet"] !== true) io.warn(allDoneText(tasks.file));
  return driveRun({
    app,
    io,
    values,
    noQuestions: values["no-questions"] === true,
    workflow: definition.name,
    isCustom: definition.source === "local" || definition.source === "global",
    limits: limitsFrom(values, app.limitsFor(definition)),
    launch: (terms) => {
      enterFolder(project.cwd);
      return app.runs.start({
        ...terms,
        agent,
        model,
        project,
        ...request,
        taskSource: tasks?.file,
        completedEarlier,
      });
    },
  });
}

/** What every workflow takes. */
export function runHelp(): string {
  const description =
    "Runs a workflow here, without a terminal UI, until it is done, needs a person, or reaches a limit. Ctrl+C pauses it; `atomic resume` resumes it. `atomic run WORKFLOW --help` also shows what that workflow takes; `atomic workflows` lists them.";
  return workflowHelp({ name: "WORKFLOW", description, prompt: "optional" }, runOptions);
}

/** Everything as if it had been started there. */
export function inFolder(parts: RunParts, cwd: string | undefined): RunParts {
  if (cwd === undefined) return parts;
  const projectDir = resolve(parts.place.projectDir, cwd);
  if (statSync(projectDir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new AtomicError("USAGE", `--cwd ${safeLine(cwd, 200)}: ${projectDir} is not a folder.`);
  }
  return { ...parts, place: { ...parts.place, projectDir } };
}
