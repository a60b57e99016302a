// What can be known about runs without touching them: any process may ask, about runs of any other.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { createPollPace } from "../lib/poll-pace.ts";
import { chatWorkflow } from "../chat/chat-event.ts";
import { readEvents, type RunEvent } from "../events/run-event.ts";
import type { OwnerState } from "../journal/port.ts";
import type { FailureEntry, TranscriptEntry } from "../transcript/transcript-entry.ts";
import { findFailure, followTranscript, readTranscript } from "../transcript/transcript-reader.ts";
import { failedVisit } from "../workflows/sessions/visit-views.ts";
import { readView, type SessionView } from "../workflows/sessions/session-view.ts";
import { isProblemOfRun, type RunStore } from "../workflows/sessions/run-store.ts";
import { createRunLists, type RunList } from "./list-runs.ts";
import { liveSince, watchViews, withLive } from "./live-runs.ts";
import { readPage, type RunPage } from "./run-page.ts";
import { hasNoOwner, isResumable } from "./run-status.ts";
import { isSameFile } from "./same-file.ts";
import { createSummaryCache } from "./summary-cache.ts";

export interface RunReader {
  /** How it stands; while it runs, its view has what its agents do right now. */
  page(id: string): Promise<RunPage>;
  /** Of all runs, in no order. */
  ids(): Promise<readonly string[]>;
  /** The newest first. */
  list(limit?: number): Promise<RunList>;
  /**
   * The newest run of a folder, or the newest of those that can be resumed; `takeable`: or whose process can't be seen
   * from here; `forkable`: in whatever state. A chat is not resumed but continued: it is found by `chat`.
   */
  newest(cwd: string, which: RunKind): Promise<RunPage | undefined>;
  /** All of those, the newest first. */
  ofFolder(cwd: string, which: RunKind): AsyncGenerator<RunPage>;
  /** Runs that a process works on right now, in this folder or on this task list. Chats don't count. */
  live(where: LiveQuery): Promise<readonly LiveRun[]>;
  /** The events so far, from the first or from this one on. */
  events(id: string, from?: number): AsyncIterable<RunEvent>;
  /** What its agents said and did. With a signal also what comes, until the run ends, pauses, or its process is gone. */
  transcript(id: string, options?: TranscriptOptions): AsyncGenerator<TranscriptEntry>;
  /**
   * What the node threw whose failure ended the run, with its stack. Undefined when the run ended for another reason, or
   * the transcript does not have it.
   */
  endingFailure(id: string): Promise<FailureEntry | undefined>;
  /**
   * How the run stood right after this event, with what its agents did then. Throws USAGE for a number that its record
   * does not have.
   */
  at(id: string, seq: number): Promise<SessionView>;
  /**
   * How the run stands, and every change of it, whichever process runs it, until it ends, pauses, or its process is gone.
   * A reader that is slow gets the newest.
   */
  watch(id: string, options: { readonly signal: AbortSignal }): AsyncGenerator<SessionView>;
  /** Whether a process has it. */
  owner(id: string): Promise<OwnerState>;
  /** The events so far, and what comes until the run ends, pauses, or its process is gone. */
  follow(id: string, options: { readonly from?: number; readonly signal: AbortSignal }): AsyncGenerator<RunEvent>;
}

export type RunKind = "any" | "resumable" | "takeable" | "forkable" | "chat";

export interface TranscriptOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of a signal: what comes until this aborts, for a caller that knows when the run has stopped. */
  readonly until?: AbortSignal | undefined;
  /** Without a signal: only entries of this type, for less than reading all of them costs. */
  readonly only?: TranscriptEntry["type"] | undefined;
}

export interface LiveQuery {
  readonly cwd: string;
  readonly taskSource?: string | undefined;
  /** Also runs of other machines whose folder has the same path. Default: false, because those change other files. */
  readonly includesElsewhere?: boolean | undefined;
}

export interface LiveRun {
  readonly id: string;
  readonly workflow: string;
  readonly cwd: string;
  /** The list that its tasks come from. */
  readonly taskSource: string | undefined;
  readonly startedAt: number;
}

export function createRunReader(store: RunStore, clock: Clock): RunReader {
  const cache = createSummaryCache(store.dir, () => clock.now());
  const lists = createRunLists({
    store,
    cache,
    pageOf: (folder, info) => readPage(store, folder, info),
    now: () => clock.now(),
  });

  async function page(id: string): Promise<RunPage> {
    const folder = store.folder(id);
    return readPage(store, folder, await store.info(folder.id));
  }

  /** By its first event: a run may have a hundred thousand of them, and be of another folder. */
  async function isOf(id: string, cwd: string): Promise<boolean> {
    try {
      for await (const { cwd: own } of store.read(id)) return typeof own === "string" && isSameFile(own, cwd);
      return false;
    } catch (error) {
      if (isProblemOfRun(error)) return false;
      throw error;
    }
  }

  /** Undefined for one that no process works on. Reads only its first event. */
  async function liveRun(id: string, includesElsewhere: boolean): Promise<LiveRun | undefined> {
    try {
      // What is kept there is kept only of runs that no process has.
      if (cache.find(store.folder(id)) !== undefined) return undefined;
      const { owner, ownedBy } = await store.info(id);
      if (owner !== "alive" || (ownedBy?.isElsewhere === true && !includesElsewhere)) return undefined;
      for await (const event of readEvents(store.read(id))) {
        if (event.type !== "run.started" || event.workflow === chatWorkflow) return undefined;
        const { workflow, cwd = "", taskSource, at } = event;
        return { id, workflow: workflow ?? "", cwd, taskSource, startedAt: at };
      }
      return undefined;
    } catch (error) {
      if (isProblemOfRun(error)) return undefined;
      throw error;
    }
  }

  return {
    async page(id) {
      const found = await page(id);
      if (found.status !== "running") return found;
      return { ...found, view: withLive(found.view, (await store.transcript(id)).path) };
    },
    async live({ cwd, taskSource, includesElsewhere = false }) {
      const found: LiveRun[] = [];
      for (const id of await store.maybeOwned()) {
        const run = await liveRun(id, includesElsewhere);
        if (run === undefined) continue;
        const isSameList =
          taskSource !== undefined && run.taskSource !== undefined && isSameFile(run.taskSource, taskSource);
        if (isSameList || isSameFile(run.cwd, cwd)) found.push(run);
      }
      return found;
    },
    ids: () => store.ids(),
    list: (limit) => lists.list(limit),
    async newest(cwd, which) {
      for await (const found of ofFolder(cwd, which)) return found;
      return undefined;
    },
    ofFolder,
    events: (id, from = 1) => readEvents(store.read(store.folder(id).id, { from })),
    async *transcript(id, { signal, until, only } = {}) {
      const folder = store.folder(id);
      if (until !== undefined) return yield* entries(id, until);
      if (signal === undefined) return yield* readTranscript((await store.transcript(id)).path, { only });
      const over = new AbortController();
      const stop = new AbortController();
      const { lastSeq } = await store.info(folder.id);
      const events = follow(folder.id, { from: lastSeq + 1, signal: AbortSignal.any([signal, over.signal]) });
      const ended = reportedLater(drain(events).finally(() => stop.abort()));
      try {
        yield* entries(id, stop.signal);
      } finally {
        over.abort();
        await ended;
      }
    },
    owner: async (id) => (await store.info(store.folder(id).id)).owner,
    async endingFailure(id) {
      const visit = failedVisit((await page(id)).view);
      return visit && findFailure((await store.transcript(id)).path, visit);
    },
    async at(id, seq) {
      const folder = store.folder(id);
      const view = await readView(folder.id, store.read(folder.id), seq);
      if (view.lastSeq === seq && seq > 0) return withLive(view, (await store.transcript(id)).path, view.updatedAt);
      throw new AtomicError(
        "USAGE",
        `Run ${folder.id} has no event ${seq}. \`atomic sessions logs ${folder.id}\` shows them all.`,
      );
    },
    async *watch(id, { signal }) {
      const folder = store.folder(id);
      const { view } = await page(id);
      const over = new AbortController();
      const stop = AbortSignal.any([signal, over.signal]);
      try {
        const events = endingWith(follow(folder.id, { from: view.lastSeq + 1, signal: stop }), over);
        yield* watchViews(view, { events, entries: entries(id, stop, liveSince(view)) });
      } finally {
        over.abort();
      }
    },
    follow,
  };

  async function* ofFolder(cwd: string, which: RunKind): AsyncGenerator<RunPage> {
    for (const { id, isReadable } of await lists.order()) {
      if (!isReadable || !(await isOf(id, cwd))) continue;
      const found = await page(id).catch((error: unknown) => {
        if (isProblemOfRun(error)) return undefined;
        throw error;
      });
      if (found === undefined) continue;
      if (which !== "any" && (found.view.workflow === chatWorkflow) !== (which === "chat")) continue;
      const isTakeable = which === "takeable" && found.status === "elsewhere";
      if (which === "any" || which === "forkable" || isTakeable || isResumable(found.status)) yield found;
    }
  }

  /** The transcript's entries, and what comes, until the signal aborts. */
  async function* entries(id: string, signal: AbortSignal, since?: number): AsyncGenerator<TranscriptEntry> {
    const { path, refresh } = await store.transcript(id);
    if (refresh === undefined) return yield* followTranscript(path, clock, signal, since);
    const over = new AbortController();
    const fetched = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const fetching = reportedLater(fetchUntil(both, clock, refresh).finally(() => fetched.abort()));
    try {
      yield* followTranscript(path, clock, fetched.signal, since);
    } finally {
      over.abort();
      await fetching;
    }
  }

  async function* follow(
    id: string,
    { from = 1, signal }: { readonly from?: number; readonly signal: AbortSignal },
  ): AsyncGenerator<RunEvent> {
    const folder = store.folder(id);
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const watch = reportedLater(watchOwner({ store, clock, id: folder.id, signal: stop }).finally(() => over.abort()));
    try {
      for await (const event of readEvents(store.follow(folder.id, { from, signal: stop }))) {
        yield event;
        const isEnd = event.type === "run.paused" || event.type === "run.finished";
        // A pause in the middle of the record was followed by a resume.
        if (isEnd && (await store.info(folder.id)).lastSeq === event.seq) return;
      }
    } finally {
      over.abort();
      await watch;
    }
  }
}

/** The end of the one ends the others. */
async function* endingWith<T>(items: AsyncIterable<T>, over: AbortController): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    over.abort();
  }
}

/** For work beside a loop that awaits it at its end: a failure before that is not one without a handler. */
function reportedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

const transcriptPollMs = 150;
/** What was said right before the end is in the store by then. */
const transcriptRestMs = 500;

/** Brings what another machine adds to a transcript, and the rest when the signal aborts. */
async function fetchUntil(signal: AbortSignal, clock: Clock, refresh: () => Promise<void>): Promise<void> {
  for (let isLast = false; ;) {
    await refresh().catch((thrown: unknown) => {
      // A database that does not answer: the next look finds what is missing.
      if (!AtomicError.is(thrown)) throw thrown;
    });
    if (isLast) return;
    isLast = signal.aborted;
    if (isLast) await clock.sleep(transcriptRestMs);
    else await clock.sleep(transcriptPollMs, signal).catch(() => undefined);
  }
}

/** A look opens the run's database, which costs more than what is asked there. */
const ownerPace = { fastMs: 500, slowMs: 2000, quietPolls: 4 } as const;

/** Resolves when no process has the run. A killed owner writes no last event: followers need another way to notice. */
async function watchOwner(watch: {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly id: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { store, clock, id, signal } = watch;
  let lastSeq: number | undefined;
  const waitMs = createPollPace(ownerPace);
  while (!signal.aborted) {
    const info = await store.info(id).catch((error: unknown) => {
      if (AtomicError.is(error) && error.retryable) return "busy" as const;
      if (isProblemOfRun(error)) return undefined;
      throw error;
    });
    // Twice the same: what it appended last has been read in between.
    if (info === undefined) return;
    if (info !== "busy") {
      if (hasNoOwner(info) && info.lastSeq === lastSeq) return;
      lastSeq = hasNoOwner(info) ? info.lastSeq : undefined;
    }
    await clock.sleep(waitMs(info !== "busy" && hasNoOwner(info)), signal).catch(() => undefined);
  }
}
