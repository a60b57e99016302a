// Requests to a run that another process owns, or that has no owner at the moment. A pause request is only for a
// running run; an answer is kept for the next owner.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { chatWorkflow } from "../chat/chat-event.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import { cancelStopped } from "../workflows/sessions/cancel-stopped.ts";
import type { OpenQuestionView } from "../workflows/sessions/session-view.ts";
import {
  answeredAlready,
  answerValue,
  chooseQuestion,
  type GivenAnswer,
  invalidAnswer,
  isSameJson,
  keepAnswer,
  notOpen,
} from "./run-answers.ts";
import { lateSubject } from "../workflows/graph/model/question-place.ts";
import { isResumable, mayBeRunning } from "./run-status.ts";
import type { RunPage } from "./run-page.ts";
import type { RunReader } from "./runs-read.ts";

export interface PauseOutcome {
  readonly page: RunPage;
  /** `asked`: the request was sent, and the run has not stopped within the wait. */
  readonly result: "paused" | "asked" | "not-running" | "finished";
}

export interface AnswerOutcome {
  readonly page: RunPage;
  readonly question: OpenQuestionView;
  /** `kept`: no process runs it now; the next one that does finds the answer. */
  readonly result: "answered" | "asked" | "kept";
}

export interface CancelOutcome {
  readonly page: RunPage;
  /**
   * `asked`: its process got the request, and has not ended it within the wait. `over`: it was completed or
   * cancelled before.
   */
  readonly result: "cancelled" | "asked" | "over";
}

export interface RunRequests {
  pause(id: string): Promise<PauseOutcome>;
  /** Ends it for good, whether a process owns it or not. */
  cancel(id: string): Promise<CancelOutcome>;
  /**
   * Without a question: the one that is open. Throws QUESTION_UNKNOWN when there is no such question, or it has an
   * answer already, and QUESTION_ANSWER_INVALID for an answer that does not fit.
   */
  answer(id: string, answer: GivenAnswer): Promise<AnswerOutcome>;
}

export interface RunRequestsOptions {
  /** Ends what a killed process of this run left behind. */
  readonly reap: (run: string) => Promise<void>;
  readonly store: RunStore;
  readonly reader: RunReader;
  readonly clock: Clock;
  readonly redact: ((text: string) => string) | undefined;
  /** How long to wait for the request to take effect. */
  readonly patienceMs?: number | undefined;
}

export function createRunRequests(options: RunRequestsOptions): RunRequests {
  const { store, reader, redact = (text) => text } = options;

  return {
    async pause(id) {
      const page = await reader.page(id);
      if (isResumable(page.status)) return { page, result: "not-running" };
      if (!mayBeRunning(page.status)) return { page, result: "finished" };
      await store.request(page.view.id, { type: "pause" });
      const end = await waitFor(page, isEnd, options);
      return {
        page: await reader.page(id),
        result: end?.type === "run.paused" ? "paused" : end ? "finished" : "asked",
      };
    },

    async cancel(id) {
      const { clock, patienceMs = defaultPatienceMs } = options;
      for (const until = clock.now() + patienceMs; ;) {
        const page = await reader.page(id);
        const run = page.view.id;
        if (page.status === "completed" || page.status === "cancelled") return { page, result: "over" };
        if (!mayBeRunning(page.status)) {
          try {
            await options.reap(run);
            if (await cancelStopped(store, run, clock)) return { page: await reader.page(id), result: "cancelled" };
          } catch (thrown) {
            // A process is just taking it: once its record says so, that process gets the request.
            if (!AtomicError.is(thrown, "RUN_OWNED") || clock.now() > until) throw thrown;
            await clock.sleep(retryMs);
          }
          continue;
        }
        await store.request(run, { type: "cancel" });
        const end = await waitFor(page, isEnd, options);
        if (end?.type === "run.finished" && end.outcome === "cancelled")
          return { page: await reader.page(id), result: "cancelled" };
        // It paused, failed or was killed before it saw the request: then no process owns it, and it is ended from
        // here.
        if (end === undefined && mayBeRunning((await reader.page(id)).status)) return { page, result: "asked" };
      }
    },

    async answer(id, { question: wanted, ...given }) {
      const page = await reader.page(id);
      const question = chooseQuestion(page, wanted);
      const value = answerValue(question, given, redact);
      const run = page.view.id;
      const { id: asked, key } = question;
      const { isDeclined } = given;
      const request = {
        type: "answer",
        question: asked,
        key,
        value,
        ...(isDeclined === true && { isDeclined }),
      } as const;
      if (!mayBeRunning(page.status)) {
        if (page.view.workflow === chatWorkflow) throw chatNotOpen(run);
        const isKept = await keepAnswer(store, run, question, request);
        if (isKept) return { page, question, result: "kept" };
      }
      await store.request(run, request);
      const seen = await waitFor(
        page,
        (event) =>
          (event.type === "question.answered" && event.question === asked && event.key === key) ||
          (event.type === "run.warned" && event.kind === "answer-refused" && isAbout(event.subject, question)),
        options,
      );
      if (seen?.type === "question.answered" && !isSameJson(seen.answer, value)) throw answeredAlready(run, question);
      if (seen?.type === "run.warned" && seen.subject.startsWith(lateSubject(question))) throw notOpen(run, question);
      if (seen?.type === "run.warned") throw invalidAnswer(question, "The run refused it.");
      return { page, question, result: seen === undefined ? "asked" : "answered" };
    },
  };
}

/** Answers to other questions may be refused at the same time. */
function isAbout(subject: string, question: OpenQuestionView): boolean {
  return subject.startsWith(`${question.id} `) || subject.startsWith(lateSubject(question));
}

/** The agent that asked ended with its process: an answer would never be used. */
function chatNotOpen(run: string): AtomicError {
  return new AtomicError(
    "QUESTION_UNKNOWN",
    `Chat ${run} is not open in any process, and the agent that asked is gone. Continue it with: atomic chat --resume ${run}`,
    { details: { run } },
  );
}

function isEnd({ type }: RunEvent): boolean {
  return type === "run.paused" || type === "run.finished";
}

/** How long until it shows which process has the run. */
const retryMs = 50;

const defaultPatienceMs = 15_000;

/** The first event of that kind after what the page knows; undefined when it takes too long or the run is gone. */
async function waitFor(
  page: RunPage,
  matches: (event: RunEvent) => boolean,
  { reader, clock, patienceMs = defaultPatienceMs }: RunRequestsOptions,
): Promise<RunEvent | undefined> {
  const over = new AbortController();
  const timer = clock.sleep(patienceMs, over.signal).then(
    () => over.abort(),
    () => undefined,
  );
  try {
    for await (const event of reader.follow(page.view.id, { from: page.info.lastSeq + 1, signal: over.signal }))
      if (matches(event)) return event;
    return undefined;
  } finally {
    over.abort();
    await timer;
  }
}
