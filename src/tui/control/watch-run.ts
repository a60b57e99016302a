// Watches one run of any process: reads its record and its transcript in pieces, follows what comes, and looks again
// after it stopped, because another process may resume it. Owns the recordings that the screen looks into; knows no
// screen. A fault in the run's record is reported as a problem, and what was read stays.

import type { RunEvent } from "../../events/run-event.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import type { RunRowStatus, RunsPort } from "../runs/runs-port.ts";
import { type Activity, nextActivity, noActivity } from "./activity.ts";
import { RunRecording } from "./recording.ts";
import { emptyMoment, nextMoment, type RunMoment } from "./run-facts.ts";

export interface WatchedRun {
  readonly id: string;
  readonly events: RunRecording<RunEvent, RunMoment>;
  readonly transcript: RunRecording<TranscriptEntry, Activity>;
  readonly status: RunRowStatus;
  /** Its current view, from a snapshot, until the whole record was read. */
  readonly present: SessionView | undefined;
  /** The whole record was read; before, the last part of it is missing. */
  readonly isRead: boolean;
  /** Where events of a kind are, for the line of time: numbers of events. */
  readonly marks: readonly TimelineMark[];
  readonly problem: string | undefined;
}

export interface TimelineMark {
  readonly seq: number;
  readonly kind: "node" | "failed" | "question";
}

export interface RunWatch {
  readonly run: WatchedRun;
  stop(): void;
}

type WatchPort = Pick<RunsPort, "page" | "status" | "events" | "follow" | "transcript">;

/** This many items are read before the screen gets its turn. */
const itemsBetweenYields = 500;
const lookAgainMs = 2000;

export function watchRun(port: WatchPort, id: string, onChange: () => void): RunWatch {
  const over = new AbortController();
  const { signal } = over;
  const marks: TimelineMark[] = [];
  const run: { -readonly [Field in keyof WatchedRun]: WatchedRun[Field] } = {
    id,
    events: new RunRecording(emptyMoment(id), nextMoment),
    transcript: new RunRecording(noActivity, nextActivity),
    status: "running",
    present: undefined,
    isRead: false,
    marks,
    problem: undefined,
  };

  function take(event: RunEvent): void {
    run.events.push(event);
    const kind = markOf(event);
    if (kind !== undefined) marks.push({ seq: event.seq, kind });
  }

  /** A long record takes a second or two to read; the current view is known at once. */
  async function readPresent(): Promise<void> {
    const { view, status } = await port.page(id);
    run.present = view;
    run.status = status;
    onChange();
  }

  async function readRecord(): Promise<void> {
    const breath = createBreath(onChange);
    for await (const event of port.events(id, run.events.length + 1)) {
      if (signal.aborted) return;
      take(event);
      await breath();
    }
    run.isRead = true;
    run.present = undefined;
  }

  async function follow(): Promise<void> {
    for await (const event of port.follow(id, { from: run.events.length + 1, signal })) {
      if (signal.aborted) return;
      run.status = "running";
      take(event);
      onChange();
    }
  }

  /** From the beginning: its file may have been replaced meanwhile. */
  async function readTranscript(until: AbortSignal | undefined): Promise<void> {
    const fresh = new RunRecording(noActivity, nextActivity);
    const breath = createBreath(() => undefined);
    let isShown = false;
    const show = (): void => {
      if (fresh.length < run.transcript.length && !isShown) return;
      isShown = true;
      run.transcript = fresh;
      onChange();
    };
    for await (const entry of port.transcript(id, { until })) {
      if (signal.aborted) return;
      fresh.push(entry);
      show();
      await breath();
    }
    isShown = true;
    show();
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const before = run.events.length;
      try {
        if (before === 0) await readPresent();
        await readRecord();
        run.status = await port.status(id, run.events.view.view.status);
        run.problem = undefined;
        onChange();
        const isRunning = run.status === "running" || run.status === "elsewhere";
        if (isRunning || run.events.length > before) {
          // Until the run stops, or its process is gone.
          const stopped = new AbortController();
          const until = AbortSignal.any([signal, stopped.signal]);
          const followed = isRunning ? follow().finally(() => stopped.abort()) : undefined;
          await Promise.all([followed, readTranscript(isRunning ? until : undefined)]);
          run.status = await port.status(id, run.events.view.view.status);
          onChange();
        }
      } catch (thrown) {
        if (!AtomicError.is(thrown)) throw thrown;
        run.isRead = true;
        // What was read of the record says more.
        if (run.events.length > 0) run.present = undefined;
        run.problem = thrown.message;
        if (!thrown.retryable) run.status = "unreadable";
        onChange();
        // A run that was removed does not come back; one that is being made has no record yet.
        if (thrown.code === "RUN_NOT_FOUND" && run.events.length > 0) return;
      }
      await pause(lookAgainMs, signal);
    }
  }

  void watch();
  return { run, stop: () => over.abort() };
}

function markOf(event: RunEvent): TimelineMark["kind"] | undefined {
  switch (event.type) {
    case "node.started":
      return "node";
    case "node.failed":
      return "failed";
    case "question.asked":
      return "question";
    default:
      return undefined;
  }
}

/** Lets the screen draw and take keys now and then, while a long record is read. */
function createBreath(onPause: () => void): () => Promise<void> {
  let count = 0;
  return async () => {
    if (++count % itemsBetweenYields !== 0) return;
    onPause();
    await new Promise((resolve) => setImmediate(resolve));
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
