// `atomic resume [ID]`, and `atomic run WORKFLOW --resume ID`: the run keeps what it was started with, except for
// options given here.

import type { App } from "../../app/create-app.ts";
import type { RunPage } from "../../app/run-page.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { parseWords } from "../../lib/parse-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { CliContext } from "../command.ts";
import type { Io } from "../io.ts";
import { mayRunBeside } from "./ask-about-live.ts";
import { chooseRun } from "./choose-run.ts";
import { askTrustAtTerminal } from "./ask-trust.ts";
import { driveRun } from "./drive-run.ts";
import { enterFolder } from "./enter-folder.ts";
import { reportCompleted } from "./report-completed.ts";
import { runChoicesOf } from "../../app/runs/run-choices.ts";
import { resumeTermOptions } from "../../app/runs/run-options.ts";

export interface ResumeWords {
  readonly id?: string | undefined;
  readonly values: OptionValues;
  readonly takeOver?: boolean | undefined;
  /** A node or an event's number: a new run is forked there and resumed instead. */
  readonly from?: string | undefined;
  /** The workflow that it must be a run of. */
  readonly workflow?: string | undefined;
}

const resumeOption = { resume: { type: "string", value: "ID", description: "the run to resume" } } as const;

/** The form of the workflow's own command. Its prompt and options are on record, so none are taken here. */
export function resumeWithWords(workflow: string, words: readonly string[], context: CliContext): Promise<number> {
  const subject = `atomic run ${safeLine(workflow, 60)} --resume`;
  const { values, rest } = parseWords(words, { ...resumeTermOptions, ...resumeOption }, subject);
  if (rest.length > 0) {
    throw new AtomicError("USAGE", `A resumed run keeps its prompt; remove "${safeLine(rest.join(" "), 60)}".`);
  }
  const id = typeof values["resume"] === "string" ? values["resume"] : undefined;
  return resumeRun({ id, values, workflow }, context);
}

export async function resumeRun(words: ResumeWords, { app, io }: Pick<CliContext, "app" | "io">): Promise<number> {
  const { values, takeOver, workflow } = words;
  const page = words.from === undefined ? await findRun(words, app, io) : await fork(words, app, io);
  const { id } = page.view;
  // Killed right after its end, or resumed once more by a script: there is nothing left to do, and that is a success.
  if (page.status === "completed") return reportCompleted(page.view, values, { app, io });
  if (page.status === "cancelled") {
    throw new AtomicError("RUN_FINISHED", `Run ${id} was cancelled, so it can't be resumed. Start a new run.`);
  }
  io.claimOutput();
  const prepared = await app.runs.prepareResume(
    { ...runChoicesOf(values), run: id, workflow, takeOver, asksAgain: values["ask"] === true },
    { askTrust: askTrustAtTerminal(io, values), onNotice: (text) => io.warn(`notice: ${safeLine(text, 1000)}`) },
  );
  // The user was asked before the fork was made.
  const isConcurrent = words.from !== undefined || mayRunBeside(prepared.live, io, values);
  return driveRun({
    app,
    io,
    values,
    prepared,
    known: page.view,
    launch: (frontEnd) => {
      enterFolder(prepared.cwd);
      return app.runs.resume(prepared, { ...frontEnd, isConcurrent });
    },
  });
}

/** The run that is named, or the only one of the folder that can be resumed; of several, the one that is chosen. */
async function findRun({ id, takeOver, values }: ResumeWords, { runs, now }: App, io: Io): Promise<RunPage> {
  if (id !== undefined) return runs.find({ run: id });
  const candidates = await runs.candidates({ takeOver });
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined ? only : chooseRun(candidates, now(), io, values);
}

async function fork({ id, from = "", values }: ResumeWords, { runs, folders }: App, io: Io): Promise<RunPage> {
  const old = id === undefined ? await runs.newest(folders.projectDir, "any") : await runs.page(id);
  if (old === undefined)
    throw new AtomicError(
      "RUN_NOT_FOUND",
      `There is no run of ${folders.projectDir}. \`atomic sessions\` lists all runs.`,
    );
  // Before there is a fork that could not be resumed.
  const { cwd, taskSource } = old.view;
  if (values["concurrent"] !== true) mayRunBeside(await runs.live({ cwd, taskSource }), io, values);
  const { run, seq } = await runs.fork(old.view.id, { from, isTrusted: values["trust"] === true });
  if (values["quiet"] !== true)
    io.warn(`Forked ${run} from ${old.view.id} after event ${seq}. Files in the folder stay as they are now.`);
  return runs.page(run);
}
