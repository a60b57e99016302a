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
import type { PreparedResume } from "../../app/runs/prepare-run.ts";
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

type ResumeContext = Pick<CliContext, "app" | "io">;

export async function resumeRun(words: ResumeWords, context: ResumeContext): Promise<number> {
  const { app, io } = context;
  const { values } = words;
  const page = await findRun(words, app, io);
  if (words.from !== undefined) return resumeFork(page, { ...words, from: words.from }, context);
  const { id } = page.view;
  // Killed right after its end, or resumed once more by a script: there is nothing left to do, and that is a success.
  if (page.status === "completed") return reportCompleted(page.view, values, context);
  if (page.status === "cancelled") {
    throw new AtomicError("RUN_FINISHED", `Run ${id} was cancelled, so it can't be resumed. Start a new run.`);
  }
  io.claimOutput();
  const prepared = await prepare(id, words, context, noticesTo(io));
  return drive(prepared, mayRunBeside(prepared.live, io, values), values, context);
}

/**
 * The run that is named, or the only one of the folder that can be resumed, or forked; of several, the one that is
 * chosen.
 */
async function findRun({ id, takeOver, from, values }: ResumeWords, { runs, now }: App, io: Io): Promise<RunPage> {
  if (id !== undefined) return runs.find({ run: id });
  const candidates = await runs.candidates({ takeOver, isFork: from !== undefined });
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined ? only : chooseRun({ candidates, from }, now(), io, values);
}

/** A fork that can't be resumed is not left behind: what can be refused is refused before, and else it is removed. */
async function resumeFork(
  { view: { id, cwd, taskSource } }: RunPage,
  words: ResumeWords & { readonly from: string },
  context: ResumeContext,
): Promise<number> {
  const { app, io } = context;
  const { values, from } = words;
  io.claimOutput();
  await prepare(id, words, context, noticesTo(io));
  if (values["concurrent"] !== true) mayRunBeside(await app.runs.live({ cwd, taskSource }), io, values);
  const { run, seq } = await app.runs.fork(id, { from, isTrusted: values["trust"] === true });
  const { lastSeq } = (await app.runs.page(run)).info;
  try {
    // What there is to notice was reported before the fork was made.
    const prepared = await prepare(run, words, context, () => undefined);
    if (values["quiet"] !== true)
      io.warn(`Forked ${run} from ${id} after event ${seq}. Files in the folder stay as they are now.`);
    return await drive(prepared, true, values, context);
  } catch (thrown) {
    if ((await app.runs.page(run)).info.lastSeq === lastSeq) {
      await app.runs.remove(run);
      if (values["quiet"] !== true) io.warn(`Removed ${run}: it could not be resumed.`);
    }
    throw thrown;
  }
}

function prepare(
  run: string,
  { values, workflow, takeOver }: ResumeWords,
  { app, io }: ResumeContext,
  onNotice: (text: string) => void,
): Promise<PreparedResume> {
  return app.runs.prepareResume(
    { ...runChoicesOf(values), run, workflow, takeOver, asksAgain: values["ask"] === true },
    { askTrust: askTrustAtTerminal(io, values), onNotice },
  );
}

function noticesTo(io: Io): (text: string) => void {
  return (text) => io.warn(`notice: ${safeLine(text, 1000)}`);
}

function drive(
  prepared: PreparedResume,
  isConcurrent: boolean,
  values: OptionValues,
  { app, io }: ResumeContext,
): Promise<number> {
  return driveRun({
    app,
    io,
    values,
    prepared,
    known: prepared.page.view,
    launch: (frontEnd) => {
      enterFolder(prepared.cwd);
      return app.runs.resume(prepared, { ...frontEnd, isConcurrent });
    },
  });
}
