// A run as a front end holds it, from the moment it is requested: its id, events, status, ways to steer it, and its
// end. The same for a run that starts, one that is resumed and one that is forked. The work itself is done by what
// `launch` calls; a handle keeps no state that the journal does not have.

import { Channel } from "../../lib/channel.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { PauseReason } from "../../events/engine-events.ts";
import { cancelNow, pauseWith } from "../../workflows/graph/model/pause-with.ts";
import type { Json } from "../../lib/json.ts";
import { createSessionView, type SessionView } from "../../workflows/sessions/empty-view.ts";
import type { FileLineCounts } from "../../workflows/sessions/changed-files.ts";
import type { ProgressNote } from "../progress-note.ts";
import type { GivenAnswer } from "../run-answers.ts";
import type { AnswerOutcome, CancelOutcome } from "../runs-requests.ts";
import type { RunResult } from "../runs-start.ts";

export interface RunHandle {
  /** The run's id. Of a run that was named by a prefix or as @last: known by the first event, and what was given before. */
  readonly id: string;
  /** What this process puts on record, from the run's start or resume to its end; each iteration gets all of it. */
  readonly events: AsyncIterable<RunEvent>;
  /** What agents and nodes do at the moment: shown, never stored. Each iteration begins with what comes next. */
  readonly live: AsyncIterable<ProgressNote>;
  /** Its current view. */
  readonly view: SessionView;
  /** The files that agents of this process have changed. */
  readonly changes: readonly FileLineCounts[];
  /** Interrupts what runs and saves the state. `done` resolves when that has happened. */
  pause(reason?: PauseReason, details?: Readonly<Record<string, Json>>): void;
  /** Ends it for good, also while it pauses. */
  cancel(): void;
  /** Without a question: the one that is open. Throws QUESTION_UNKNOWN and QUESTION_ANSWER_INVALID. */
  answer(answer: GivenAnswer): Promise<AnswerOutcome>;
  /** Rejects when the run can't start, or when its record can't be kept. A failed run resolves. */
  readonly done: Promise<RunResult>;
}

/** What the run reports to its handle. */
export interface HandleFeed {
  readonly signal: AbortSignal;
  event(event: RunEvent): void;
  progress(note: ProgressNote): void;
  /** How the view and the changes are read from now on. */
  showView(read: () => SessionView, changes: () => readonly FileLineCounts[]): void;
}

export interface HandlePorts {
  /** Events that are stored already. */
  readonly read: (id: string, from: number) => AsyncIterable<RunEvent>;
  readonly answer: (id: string, answer: GivenAnswer) => Promise<AnswerOutcome>;
  /** Ends a run that has stopped. */
  readonly cancel: (id: string) => Promise<CancelOutcome>;
  /** What was put on record after the run had stopped. */
  readonly onEvent: (id: string, event: RunEvent) => void;
}

/** `named`: the id of a run that is known by something else so far. */
export function createRunHandle(
  { written, named = Promise.resolve(written) }: { readonly written: string; readonly named?: Promise<string> },
  ports: HandlePorts,
  launch: (feed: HandleFeed) => Promise<RunResult>,
): RunHandle {
  const stop = new AbortController();
  const events = new Broadcast<RunEvent>();
  const live = new Broadcast<ProgressNote>();
  let id = written;
  let firstSeq: number | undefined;
  let lastSeq = 0;
  let isCancelled = false;
  let readView = (): SessionView => createSessionView(id);
  let readChanges = (): readonly FileLineCounts[] => [];
  named.then(
    (found) => (id = found),
    // What rejects it rejects `done`.
    () => undefined,
  );

  async function* allEvents(): AsyncGenerator<RunEvent> {
    const coming = events.subscribe();
    try {
      let last = 0;
      if (firstSeq !== undefined)
        for await (const event of ports.read(id, firstSeq)) {
          last = event.seq;
          yield event;
        }
      for await (const event of taken(coming)) if (event.seq > last) yield event;
    } finally {
      events.drop(coming);
    }
  }

  async function* allLive(): AsyncGenerator<ProgressNote> {
    const coming = live.subscribe();
    try {
      yield* taken(coming);
    } finally {
      live.drop(coming);
    }
  }

  function take(event: RunEvent): void {
    firstSeq ??= event.seq;
    lastSeq = event.seq;
    events.push(event);
  }

  /** It was pausing, or had nothing left to do, when it was cancelled: its end follows on the record of the pause. */
  async function cancelPaused(result: RunResult): Promise<RunResult> {
    const { page, result: outcome } = await ports.cancel(id);
    if (outcome !== "cancelled") return result;
    readView = () => page.view;
    for await (const event of ports.read(id, lastSeq + 1)) {
      take(event);
      ports.onEvent(id, event);
    }
    const { reason: _reason, error: _error, ...rest } = result;
    return { ...rest, status: "cancelled", questions: [] };
  }

  const done = launch({
    signal: stop.signal,
    event: take,
    progress: (note) => live.push(note),
    showView(read, changes) {
      readView = read;
      readChanges = changes;
    },
  })
    .then((result) => (isCancelled && result.status === "paused" ? cancelPaused(result) : result))
    .finally(() => {
      events.close();
      live.close();
    });
  // A front end that only watches the events must not be ended by an unhandled rejection.
  done.catch(() => undefined);

  return {
    get id() {
      return id;
    },
    events: { [Symbol.asyncIterator]: allEvents },
    live: { [Symbol.asyncIterator]: allLive },
    get view() {
      return readView();
    },
    get changes() {
      return readChanges();
    },
    pause: (reason = "paused", details) => stop.abort(pauseWith(reason, details)),
    cancel() {
      // A signal keeps its first reason.
      isCancelled = true;
      stop.abort(cancelNow());
    },
    answer: async (answer) => ports.answer(await named, answer),
    done,
  };
}

/** One writer, any number of readers. A reader that falls behind costs memory, and holds no run up. */
class Broadcast<T> {
  readonly #readers = new Set<Channel<T>>();
  #isClosed = false;

  subscribe(): Channel<T> {
    const reader = new Channel<T>();
    if (this.#isClosed) reader.close();
    else this.#readers.add(reader);
    return reader;
  }

  push(item: T): void {
    for (const reader of this.#readers) void reader.push(item);
  }

  drop(reader: Channel<T>): void {
    this.#readers.delete(reader);
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.close();
  }
}

async function* taken<T>(channel: Channel<T>): AsyncGenerator<T> {
  for (let item = await channel.take(); item !== undefined; item = await channel.take()) yield item;
}
