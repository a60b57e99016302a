// Asking something of a run that another process has, or that nobody has at the moment. A wish to pause is only for a
// run that is running; an answer is kept for whoever runs it next.

import type { Clock } from "../lib/clock.ts";
import type { Json } from "../lib/json.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import type { StoredEvent } from "../journal/port.ts";
import type { SessionStore } from "../workflows/sessions/session-store.ts";
import type { OpenQuestionView } from "../workflows/sessions/session-view.ts";
import { mayBeRunning, type RunStatus } from "./run-status.ts";
import type { RunPage, RunReader } from "./runs-read.ts";

export interface PauseOutcome {
  readonly page: RunPage;
  /** `asked`: it was told, and has not stopped within the time one waits for it. */
  readonly result: "paused" | "asked" | "not-running" | "finished";
}

export interface AnswerOutcome {
  readonly page: RunPage;
  readonly question: OpenQuestionView;
  /** `kept`: nobody runs it now; the next one who does finds the answer. */
  readonly result: "answered" | "asked" | "kept";
}

export interface RunRequests {
  pause(id: string): Promise<PauseOutcome>;
  /** Without a question: the one that is open, if there is one. Throws QUESTION_UNKNOWN otherwise. */
  answer(id: string, answer: { readonly question?: string | undefined; readonly value: Json }): Promise<AnswerOutcome>;
}

export interface RunRequestsOptions {
  readonly store: SessionStore;
  readonly reader: RunReader;
  readonly clock: Clock;
  readonly redact: ((text: string) => string) | undefined;
  /** How long one waits to see the request obeyed. */
  readonly patienceMs?: number | undefined;
}

export function createRunRequests(options: RunRequestsOptions): RunRequests {
  const { store, reader, redact = (text) => text } = options;

  return {
    async pause(id) {
      const page = await reader.page(id);
      if (page.status === "paused" || page.status === "interrupted") return { page, result: "not-running" };
      if (!mayBeRunning(page.status)) return { page, result: "finished" };
      await store.request(page.view.id, { type: "pause" });
      const end = await waitFor(page, (event) => event.type === "run.paused" || event.type === "run.finished", options);
      return {
        page: await reader.page(id),
        result: end?.type === "run.paused" ? "paused" : end ? "finished" : "asked",
      };
    },

    async answer(id, { question: wanted, value }) {
      const page = await reader.page(id);
      const question = chooseQuestion(page, wanted);
      await store.request(page.view.id, {
        type: "answer",
        question: question.id,
        value: typeof value === "string" ? redact(value) : value,
      });
      if (!mayBeRunning(page.status)) return { page, question, result: "kept" };
      const seen = await waitFor(
        page,
        (event) => event.type === "question.answered" && event["question"] === question.id,
        options,
      );
      return { page, question, result: seen === undefined ? "asked" : "answered" };
    },
  };
}

function chooseQuestion({ view, status }: RunPage, wanted: string | undefined): OpenQuestionView {
  const open = [...view.questions.values()];
  const fitting =
    wanted === undefined ? open : open.filter(({ id, text }) => id === wanted || text.trim() === wanted.trim());
  const [first] = fitting;
  if (first !== undefined && fitting.length === 1) return first;
  throw new AtomicError("QUESTION_UNKNOWN", refusalText(view.id, status, open, wanted), {
    details: { run: view.id, questions: open.map(({ id, text }) => ({ id, text })) },
  });
}

function refusalText(
  id: string,
  status: RunStatus,
  open: readonly OpenQuestionView[],
  wanted: string | undefined,
): string {
  if (open.length === 0)
    return `Run ${id} (${status}) asks nothing. \`atomic sessions show ${id}\` shows how it stands.`;
  const list = open.map((question) => `  ${question.id}: ${safeLine(question.text)}`).join("\n");
  const problem =
    wanted === undefined
      ? `Run ${id} asks ${open.length} questions; say which one you answer with --question`
      : `Run ${id} does not ask ${JSON.stringify(safeLine(wanted, 80))}; choose one of these with --question`;
  return `${problem} (its id or its text):\n${list}`;
}

const defaultPatienceMs = 15_000;

/** The first event of that kind after what the page knows; undefined when it takes too long or the run is gone. */
async function waitFor(
  page: RunPage,
  matches: (event: StoredEvent) => boolean,
  { reader, clock, patienceMs = defaultPatienceMs }: RunRequestsOptions,
): Promise<StoredEvent | undefined> {
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
