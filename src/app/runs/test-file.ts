// A workflow file, tested: found and described first, so that a front end can say what it takes, then run on a script in
// copies of the project. The file's code is loaded only when it is run.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { WorkflowInfo } from "../../catalog/modules/workflow-file.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { WorkflowDefinition } from "../../workflows/definition.ts";
import { createRunApp, type RunParts } from "../run-app.ts";
import { testWorkflow, type WorkflowTest, type WorkflowTestOptions } from "../test-workflow.ts";
import { workflowFileEntry } from "../workflow-file-entry.ts";
import type { PreparePorts } from "./prepare-run.ts";
import { limitsFrom, type RunChoices } from "./run-choices.ts";

export interface TestChoices
  extends
    Pick<RunChoices, "model" | "limits" | "answers" | "noQuestions">,
    Pick<WorkflowTestOptions, "folder" | "enter" | "onTrial"> {
  readonly prompt: string;
  /** Values of the workflow's own options. */
  readonly options: OptionValues;
  readonly verify: readonly string[];
  /** What the embedded agent plays. */
  readonly script: string;
  readonly signal?: AbortSignal | undefined;
}

export interface PreparedTest {
  readonly usage: Pick<WorkflowInfo, "name" | "description" | "options" | "prompt">;
  /** Loads the file, and gives what it declares. */
  load(): Promise<Pick<WorkflowDefinition, "name" | "description" | "options" | "prompt">>;
  /** Runs it as it is, and then with a crash after every record. */
  run(choices: TestChoices): Promise<WorkflowTest>;
}

/** Throws USAGE when there is no such file, and WORKFLOW_FILE_INVALID. */
export async function prepareTest(
  parts: RunParts,
  options: { readonly file: string; readonly isTrusted: boolean },
  { onNotice = () => undefined }: Pick<PreparePorts, "onNotice"> = {},
): Promise<PreparedTest> {
  const { currentDir } = parts.folders;
  const path = resolve(currentDir, options.file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new AtomicError(
      "USAGE",
      `There is no file ${safeLine(path, 300)}. Name a workflow file: atomic test FILE --script SCRIPT.`,
    );
  }
  const app = await createRunApp(parts);
  const project = app.openProject({
    isTrustedForThisRun: options.isTrusted,
    workflowFile: path,
    agent: "scripted",
    onNotice,
  });
  const { name } = workflowFileEntry(path).info;
  return {
    usage: project.usage(name),
    load: () => project.workflow(name),
    async run({ prompt, verify, script, model, answers, noQuestions, signal, folder, enter, onTrial, ...choices }) {
      const definition = await project.workflow(name);
      return testWorkflow({
        host: app.starterOptions,
        openRuns: parts.openRuns,
        project,
        enter,
        folder,
        onTrial,
        request: {
          definition,
          prompt,
          options: { ...choices.options, verify },
          agent: { kind: "scripted", script: resolve(currentDir, script), programs: {} },
          model,
          limits: limitsFrom(choices.limits ?? {}, app.limitsFor(definition)),
          questions: noQuestions === true ? "decline" : "suspend",
          answers,
          signal,
        },
      });
    },
  };
}
