// `atomic test FILE --script SCRIPT`: from the words to the exit code.

import { delimiter } from "node:path";
import { safeSearchPath } from "../../agents/process/search-path.ts";
import type { RunResult } from "../../app/runs-start.ts";
import type { DeclaredOptions } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import type { CliContext } from "../command.ts";
import { asksForHelp, parseWorkflowWords, workflowHelp } from "../../app/runs/workflow-words.ts";
import { enterFolder } from "./enter-folder.ts";
import { signalExitCodes } from "./exit-code.ts";
import { answersFrom, limitChoicesOf } from "../../app/runs/run-choices.ts";
import { optionList, runOptions, optionText } from "../../app/runs/run-options.ts";
import { againText, listenToStopSignals } from "./stop-signals.ts";
import { safeJson } from "../../lib/safe-json.ts";

const testOptions = {
  script: { ...runOptions.script, description: "what the embedded agent plays" },
  cwd: {
    ...runOptions.cwd,
    description: "a folder to copy for each run, as it is; default: the project, without what git ignores",
  },
  json: { type: "boolean", description: "print the outcome as JSON" },
  answer: runOptions.answer,
  "no-questions": runOptions["no-questions"],
  verify: runOptions.verify,
  "max-iterations": runOptions["max-iterations"],
  "max-cost": runOptions["max-cost"],
  "max-tokens": runOptions["max-tokens"],
  model: runOptions.model,
  trust: { type: "boolean", description: "trust the tools and the other workflows of this folder too" },
} as const satisfies DeclaredOptions;

export function testHelp(): string {
  const description =
    "Runs a workflow on a script, as it is and then with a crash after every record of its journal, each in a copy of the project's files, and compares what comes out. The file is run: name one that you know.";
  return workflowHelp({ name: "FILE", description, prompt: "optional" }, testOptions).replace(
    "atomic run",
    "atomic test",
  );
}

export async function testRun(file: string, words: readonly string[], { io, app }: CliContext): Promise<number> {
  const test = await app.runs.prepareTest(
    // What options there are is known once the file was looked at.
    { file, isTrusted: words.includes("--trust") },
    { onNotice: (text) => io.warn(`notice: ${safeLine(text, 1000)}`) },
  );
  const { name } = test.usage;
  if (asksForHelp(words)) {
    io.print(workflowHelp(test.usage, testOptions).replace(`atomic run ${name}`, `atomic test ${file}`));
    return 0;
  }
  io.claimOutput();
  const { options, run: values, prompt } = parseWorkflowWords(await test.load(), words, testOptions);
  const script = optionText(values, "script");
  if (script === undefined)
    throw new AtomicError(
      "USAGE",
      `--script is missing: atomic test FILE --script SCRIPT. For a workflow without agents, SCRIPT holds {"version": 1, "turns": []}.`,
    );
  const isJson = values["json"] === true;
  const cwd = optionText(values, "cwd");
  // The runs work in copies elsewhere, and must not take a program from the project either.
  process.env["PATH"] = safeSearchPath(process.env["PATH"], { cwd: app.folders.projectDir }).join(delimiter);
  const signals = listenToStopSignals({
    onFirst: (signal) => io.warn(`Stopping the test. ${againText(signal)}.`),
    onSecond: () => undefined,
  });
  const tested = await test.run({
    prompt,
    options,
    verify: optionList(values, "verify"),
    script,
    model: optionText(values, "model"),
    limits: limitChoicesOf(values),
    noQuestions: values["no-questions"] === true,
    answers: answersFrom(values),
    signal: signals.signal,
    folder: cwd === undefined ? undefined : app.inFolder(cwd).folders.projectDir,
    enter: enterFolder,
    onTrial: ({ after, problem }, records) => {
      if (problem !== undefined && !isJson)
        io.print(`✗ crash after record ${after} of ${records}: ${safeText(problem)}`);
    },
  });
  const { result, records, trials } = tested;
  if (signals.received !== undefined) {
    io.warn("The test was stopped before it finished.");
    return signalExitCodes[signals.received];
  }
  const failed = trials.filter(({ problem }) => problem !== undefined);
  const isPassed = result.status === "completed" && failed.length === 0;
  if (isJson) {
    const { status, reason, message } = result;
    io.print(safeJson({ workflow: name, status, reason, message, records, trials, isPassed }));
  } else io.print(`${isPassed ? "✓" : "✗"} ${name}: ${summary(result, records, trials.length, failed.length)}`);
  if (result.status !== "completed") io.warn(whyNotCompleted(name, result.message, result.reason));
  else if (failed.length > 0) io.warn(`${failed.length} of ${trials.length} crashes changed the result.`);
  return isPassed ? 0 : 1;
}

/** `completed, 12 records; 11 of 11 crashes left no trace` */
function summary({ status, reason }: RunResult, records: number, trials: number, failed: number): string {
  const outcome = reason === undefined ? status : `${status} (${reason})`;
  const crashes =
    trials === 0 ? "" : `; ${trials - failed} of ${trials} crash${trials === 1 ? "" : "es"} left no trace`;
  return `${outcome}, ${records} record${records === 1 ? "" : "s"}${crashes}`;
}

function whyNotCompleted(name: string, message: string | undefined, reason: string | undefined): string {
  const why = message === undefined ? "" : `: ${safeText(message)}`;
  const hint = reason === "needs-human" ? " Answer its questions with --answer, or add --no-questions." : "";
  return `${name} does not complete on this script${why}${hint}`;
}
