// From the application to the port of the screens about runs. Owns the runs that are resumed from the screen: they belong
// to this process, and are paused when the screen is left.

import type { AnswerOutcome, CancelOutcome, PauseOutcome } from "../app/runs-requests.ts";
import { runStatus } from "../app/run-status.ts";
import type { AppRuns } from "../app/runs/app-runs.ts";
import type { TrustDesk } from "../app/trust-desk.ts";
import type { RunHandle } from "../app/runs/run-handle.ts";
import { chatWorkflow } from "../chat/chat-event.ts";
import { AtomicError } from "../lib/errors.ts";
import type { RunsPort } from "./runs/runs-port.ts";

export type RunsSource = Pick<
  AppRuns,
  | "page"
  | "evidence"
  | "reducers"
  | "list"
  | "owner"
  | "events"
  | "follow"
  | "transcript"
  | "pause"
  | "cancel"
  | "answer"
  | "fork"
  | "prepareResume"
  | "resume"
  | "remove"
>;

export interface RunsConnection {
  readonly port: RunsPort;
  /** Pauses what was resumed from here; gives the ids of the runs that can be resumed again. */
  close(): Promise<readonly string[]>;
}

export interface ConnectRunsOptions {
  readonly runs: RunsSource;
  readonly cwd: string;
  /** Asks for consent to code that a resumed run would run. */
  readonly askTrust: TrustDesk["ask"];
  readonly now: () => number;
}

const maxRuns = 500;

export function connectRuns({ runs, cwd, askTrust, now }: ConnectRunsOptions): RunsConnection {
  const own = new Map<string, RunHandle>();
  /** Made here, and not resumed yet. */
  const forks = new Set<string>();

  async function list(): ReturnType<RunsPort["list"]> {
    const { runs: all, left } = await runs.list(maxRuns);
    return { runs: all.filter(({ workflow }) => workflow !== chatWorkflow), left };
  }

  async function start(id: string, isConcurrent: boolean): Promise<void> {
    const prepared = await runs.prepareResume({ run: id, isConcurrent }, { askTrust });
    const handle = runs.resume(prepared, { questions: "stay", hasLive: false, isConcurrent });
    own.set(id, handle);
    void handle.done.then(
      () => own.delete(id),
      () => own.delete(id),
    );
    // Until it is on record, or refused.
    await Promise.race([firstOf(handle.events), handle.done]);
  }

  const port: RunsPort = {
    now,
    list,
    async newest() {
      const { runs: found } = await list();
      // One that is being made can't be read yet.
      const all = found.filter(({ status }) => status !== "unreadable");
      const here = all.filter((run) => run.cwd === cwd);
      return (here.find(({ status }) => status === "running") ?? here[0] ?? all[0])?.id;
    },
    async page(id) {
      const { view, status } = await runs.page(id);
      return { view, status };
    },
    evidence: runs.evidence,
    reducers: runs.reducers,
    status: async (id, recorded) => runStatus({ status: recorded }, await runs.owner(id)),
    events: runs.events,
    follow: runs.follow,
    transcript: runs.transcript,
    pause: async (id) => pauseText(await runs.pause(id)),
    cancel: async (id) => cancelText(await runs.cancel(id)),
    answer: async (id, question, answer) => answerText(await runs.answer(id, { question: question.id, ...answer })),
    async resume(id, { isConcurrent }) {
      if (own.has(id)) throw new AtomicError("RUN_OWNED", "It runs in this very program.");
      try {
        await start(id, isConcurrent);
      } catch (thrown) {
        // The user is asked, and may resume it after all. Any other refusal leaves no fork behind.
        const isAsked = AtomicError.is(thrown, "FOLDER_BUSY");
        if (!isAsked && forks.delete(id)) await runs.remove(id);
        throw thrown;
      }
      forks.delete(id);
      return "Resumed here; it is paused when you leave.";
    },
    async fork(id, seq) {
      const { run } = await runs.fork(id, { from: String(seq) });
      forks.add(run);
      return run;
    },
  };

  return {
    port,
    async close() {
      const ids = [...own.keys()];
      const handles = [...own.values()];
      for (const handle of handles) handle.pause("interrupted");
      const results = await Promise.allSettled(handles.map(({ done }) => done));
      return ids.filter((_, i) => {
        const result = results[i];
        return result?.status === "fulfilled" && result.value.status === "paused";
      });
    },
  };
}

async function firstOf(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) return;
}

function pauseText({ result }: PauseOutcome): string {
  switch (result) {
    case "paused":
      return "Paused.";
    case "asked":
      return "Asked to pause; it has not stopped yet.";
    case "not-running":
      return "It does not run at the moment.";
    case "finished":
      return "It is over already.";
  }
}

function cancelText({ result }: CancelOutcome): string {
  switch (result) {
    case "cancelled":
      return "Cancelled.";
    case "asked":
      return "Asked to cancel; it has not ended yet.";
    case "over":
      return "It is over already.";
  }
}

function answerText({ result }: AnswerOutcome): string {
  switch (result) {
    case "answered":
      return "Answered.";
    case "asked":
      return "The answer was sent; the run has not taken it yet.";
    case "kept":
      return "The answer is kept for when the run is resumed.";
  }
}
