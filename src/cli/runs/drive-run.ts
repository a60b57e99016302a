// One run on the command line, from its first event to the exit code: prints progress to standard error and the result
// to standard output, stops it on a signal, asks at the terminal if it is interactive, and says at the end why it
// stopped and how to resume it.

import type { App } from "../../app/create-app.ts";
import type { RunFrontEnd } from "../../app/runs/app-runs.ts";
import type { PreparedStart } from "../../app/runs/prepare-run.ts";
import { optionList } from "../../app/runs/run-options.ts";
import type { RunHandle } from "../../app/runs/run-handle.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { formatDuration, titleOf } from "../../workflows/sessions/progress-text.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { Io } from "../io.ts";
import { createJsonPrinter } from "../print/json-printer.ts";
import { outputsText } from "../print/outputs-text.ts";
import { createTextPrinter } from "../print/text-printer.ts";
import { wrapLines } from "../print/wrap-lines.ts";
import { paintLog, type Style } from "../style.ts";
import type { LiveOutput } from "../live/live-output.ts";
import { exitCodeOf } from "./exit-code.ts";
import { againText, listenToStopSignals } from "./stop-signals.ts";
import { runStyle } from "./run-style.ts";
import type { StallWatch } from "./stall-watch.ts";
import type { Notifier } from "./notify.ts";
import { stopText } from "./stop-text.ts";
import type { UnusedAnswers } from "./unused-answers.ts";
import type { TerminalQuestions } from "./terminal-questions.ts";

export interface DriveOptions {
  readonly app: Pick<App, "runs" | "settings" | "now">;
  readonly io: Pick<Io, "print" | "warn" | "isInteractive" | "screen">;
  readonly values: OptionValues;
  readonly prepared: Pick<PreparedStart, "workflow" | "cwd" | "isCustom" | "limits" | "noQuestions" | "quietAfterMs">;
  /** The run so far, when it is resumed. */
  readonly known?: SessionView | undefined;
  readonly launch: (frontEnd: RunFrontEnd) => RunHandle;
}

export async function driveRun(options: DriveOptions): Promise<number> {
  const { app, io, values, prepared } = options;
  const { limits, noQuestions, quietAfterMs } = prepared;
  const isJson = values["json"] === true;
  const isQuiet = values["quiet"] === true;
  const style = await runStyle(app, io);
  const live = isJson || isQuiet ? undefined : await openLive(options, style);
  const above = live?.above ?? ((write: () => void) => write());
  const warn = (text: string): void => above(() => io.warn(text));
  const writeLog = live?.log ?? io.warn;
  const log = (text: string): void => writeLog(paintLog(text, style));
  const { print, problem } = guarded((text) => above(() => io.print(text)));
  const printer = isJson
    ? createJsonPrinter(print, { hasDeltas: values["deltas"] === true })
    : createTextPrinter({ progress: isQuiet ? () => undefined : log, result: print }, options.known);
  const title = titleOf(prepared.workflow);
  let run: string | undefined;
  let limit: string | undefined;
  const signals = listenToStopSignals({
    onFirst: (signal) => warn(`Pausing the ${title} session. ${againText(signal)}; nothing that was recorded is lost.`),
    onSecond: () => {
      if (run === undefined) return;
      app.runs.endChildren(run);
      warn(`Stopped ${title} session: ${run}\nResume with: atomic resume ${run}`);
    },
  });
  const notifier = await openNotifier(options);
  const stalls = prepared.isCustom && quietAfterMs > 0 ? await watchStalls(quietAfterMs) : undefined;
  const unused = await watchAnswers(options);
  const canAsk = io.isInteractive && !isJson && !noQuestions;
  const asking = canAsk ? await askAtTerminal(warn) : undefined;
  if (limits.maxIterations === 0 && !isQuiet) {
    warn("No iteration limit is set: only completion, another limit or Ctrl+C ends this run.");
  }
  try {
    const handle = options.launch({
      questions: questionsOf(asking, live),
      signal: signals.signal,
      hasLive: false,
      onEvent(id, event) {
        run = id;
        stalls?.running(id);
        if (event.type === "node.started") stalls?.started(event.node);
        if (event.type === "run.paused") limit = event.limit ?? limit;
        if (event.type === "question.answered") asking?.settled(event.question);
        live?.event(event);
        printer.event(id, event);
        notifier?.event(id, event);
        unused?.event(event);
      },
      onProgress: printer.progress,
      onNodeProgress: live && ((_, note) => live.progress(note)),
      onQuiet(_, { node, quietMs }) {
        if (isQuiet) return;
        warn(`… "${safeLine(node, 60)}" has shown no activity for ${formatDuration(quietMs)}. Ctrl+C pauses the run.`);
      },
    });
    live?.watch(() => handle.view);
    const result = await handle.done;
    asking?.close();
    live?.close();
    if (live !== undefined && io.screen !== undefined) {
      const { printSummary } = await import("./print-summary.ts");
      const changes = options.known === undefined ? handle.changes : undefined;
      await printSummary({ runs: app.runs, view: handle.view, changes, screen: io.screen }, log);
    }
    if (!isJson && result.status === "completed" && result.report === undefined) {
      const text = outputsText(result.state["outputs"]);
      if (text !== "" && !isQuiet) warn("");
      if (text !== "") print(text);
    }
    for (const text of (await notifier?.close()) ?? []) warn(`! ${text}`);
    const answerable = isQuiet ? undefined : printer.lastQuestions?.();
    const why = stopText(result, { title, limit, noQuestions, answerable: answerable ?? new Set() });
    const dropped = unused?.text();
    if (dropped !== undefined) warn(dropped);
    if (why !== undefined) warn(io.screen === undefined ? why : wrapLines(why, io.screen.size().columns));
    if (result.status === "cancelled") {
      const { workToLandText } = await import("./work-to-land.ts");
      const left = await workToLandText(result.run, app.runs.events(result.run));
      if (left !== undefined) warn(left);
    }
    const failure = problem();
    if (failure !== undefined) warn(failure.message);
    return exitCodeOf(result, signals.received) || (failure === undefined ? 0 : 1);
  } catch (error) {
    // The record itself failed, or was taken over: what is stored is complete, and the run can be resumed from there.
    if (run !== undefined && AtomicError.is(error))
      warn(`Stopped ${title} session: ${run}\nResume with: atomic resume ${run}`);
    throw error;
  } finally {
    live?.close();
    stalls?.close();
    asking?.close();
    signals.release();
  }
}

/** Nothing blocks the event loop this long except a node that computes without end. */
const maxStallMs = 10_000;

async function watchStalls(quietAfterMs: number): Promise<StallWatch> {
  const { watchForStalls } = await import("./stall-watch.ts");
  return watchForStalls({ limitMs: Math.min(maxStallMs, quietAfterMs) });
}

/** Loaded where there is a terminal to draw on. */
async function openLive({ app, io: { screen } }: DriveOptions, style: Style): Promise<LiveOutput | undefined> {
  if (screen === undefined) return undefined;
  const { openLiveOutput } = await import("../live/live-output.ts");
  return openLiveOutput({ screen, style, now: app.now });
}

/** Undefined where the user has not asked for notices. */
async function openNotifier({ app, io, prepared }: DriveOptions): Promise<Notifier | undefined> {
  const setting = String((await app.settings.read("notify"))?.value ?? "");
  if (setting === "") return undefined;
  const { createNotifier } = await import("./notify.ts");
  const { workflow, cwd } = prepared;
  const processesDir = async (run: string): Promise<string> => (await app.runs.page(run)).folder.processes;
  return createNotifier({ setting, workflow, cwd, processesDir, screen: io.screen });
}

/** Undefined where none are given. */
async function watchAnswers({ app, values, known }: DriveOptions): Promise<UnusedAnswers | undefined> {
  // Questions are recorded with secrets masked, so only a masked name can be compared with them, or printed.
  const written = await Promise.all(optionList(values, "answer").map(app.runs.redact));
  if (written.length === 0) return undefined;
  const { watchUnusedAnswers } = await import("./unused-answers.ts");
  return watchUnusedAnswers(written, known);
}

function questionsOf(
  asking: TerminalQuestions | undefined,
  live: LiveOutput | undefined,
): TerminalQuestions["ask"] | undefined {
  if (asking === undefined || live === undefined) return asking?.ask;
  return (question) => live.aside(() => asking.ask(question));
}

/** Loaded only at a terminal: a run in a pipe asks nothing. */
async function askAtTerminal(print: (text: string) => void): Promise<TerminalQuestions> {
  const { createTerminalInput } = await import("./terminal-input.ts");
  const { createTerminalQuestions } = await import("./terminal-questions.ts");
  return createTerminalQuestions(createTerminalInput(), print);
}

/** A run must not stop because its output can't be written: the first failure is kept, later ones are dropped. */
function guarded(print: (text: string) => void): { print: (text: string) => void; problem: () => Error | undefined } {
  let failure: Error | undefined;
  return {
    problem: () => failure,
    print(text) {
      if (failure !== undefined) return;
      try {
        print(text);
      } catch (error) {
        if (!AtomicError.is(error, "OUTPUT_FAILED")) throw error;
        failure = error;
      }
    },
  };
}
