// What can be known about runs without touching them: any process may ask, about runs of any other.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { chatWorkflow } from "../chat/chat-event.ts";
import type { RunInfo, StoredEvent } from "../journal/port.ts";
import { countTasks } from "../tasks/task-order.ts";
import type { RunTotals } from "../workflows/limits/run-ledger.ts";
import type { SessionFolder } from "../workflows/sessions/session-folder.ts";
import { isProblemOfRun, type SessionStore } from "../workflows/sessions/session-store.ts";
import {
  createSessionView,
  foldSession,
  type OpenQuestionView,
  type SessionView,
  totalsOf,
} from "../workflows/sessions/session-view.ts";
import { isResumable, runStatus, type RunStatus } from "./run-status.ts";
import { isSameFile } from "./same-file.ts";
import { notStarted } from "./start-facts.ts";

export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  /** What went wrong, or why it paused; for an unreadable run, what is wrong with its record. */
  readonly message?: string | undefined;
  readonly agent: string;
  readonly prompt: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly tasks: { readonly completed: number; readonly total: number };
  readonly totals: RunTotals;
  readonly questions: readonly OpenQuestionView[];
  readonly sessionDir: string;
}

export interface RunPage {
  readonly view: SessionView;
  readonly info: RunInfo;
  readonly status: RunStatus;
  readonly folder: SessionFolder;
}

export interface RunReader {
  page(id: string): Promise<RunPage>;
  /** The newest first. */
  list(limit?: number): Promise<RunList>;
  /**
   * The newest run of a folder, or the newest of those that can be resumed; `takeable`: or whose process can't be seen
   * from here. A chat is not resumed but continued: it is found by `chat`.
   */
  newest(cwd: string, which: "any" | "resumable" | "takeable" | "chat"): Promise<RunPage | undefined>;
  /** The events so far, from the first or from this one on. */
  events(id: string, from?: number): AsyncIterable<StoredEvent>;
  /** How the run stood right after this event. Throws USAGE for a number that its record does not have. */
  at(id: string, seq: number): Promise<SessionView>;
  /** The events so far, and what comes until the run ends, pauses, or its process is gone. */
  follow(id: string, options: { readonly from?: number; readonly signal: AbortSignal }): AsyncGenerator<StoredEvent>;
}

export interface RunList {
  readonly runs: readonly RunSummary[];
  /** How many more there are. */
  readonly left: number;
}

/** When it was last written to, and what the store knows of it or why it can't be read. */
type Glance = { readonly id: string; readonly at: number } & (
  | { readonly info: RunInfo; readonly problem?: undefined }
  | { readonly info?: undefined; readonly problem: string }
);

export function createRunReader(store: SessionStore, clock: Clock): RunReader {
  async function page(id: string): Promise<RunPage> {
    const folder = store.folder(id);
    return pageOf(folder, await store.info(folder.id));
  }

  /** The info first: a run that ends in between then shows as ended, never as interrupted. */
  async function pageOf(folder: SessionFolder, info: RunInfo): Promise<RunPage> {
    if (info.lastSeq === 0 && isGone(info)) throw notStarted(folder.id);
    const view = createSessionView(folder.id);
    for await (const event of store.read(folder.id)) foldSession(view, event);
    return { view, info, folder, status: runStatus(view, info.owner) };
  }

  /** Cheap facts of a run; of one that can't be read, its problem. */
  async function glance(id: string): Promise<Glance> {
    try {
      const info = await store.info(id);
      return { id, at: info.updatedAt, info };
    } catch (error) {
      if (!isProblemOfRun(error)) throw error;
      return { id, at: 0, problem: error.message };
    }
  }

  /** Of all runs, the newest first. */
  async function glanceAtAll(): Promise<readonly Glance[]> {
    const found: Glance[] = [];
    // One at a time: each has three files open while it is looked at, and reading is synchronous anyway.
    for (const id of store.ids()) found.push(await glance(id));
    return found.toSorted((a, b) => b.at - a.at);
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

  return {
    page,
    async list(limit = Number.POSITIVE_INFINITY) {
      const ids = store.ids();
      if (ids.length <= limit) {
        // All of them are shown: each is opened once.
        const seen: { readonly at: number; readonly run: RunSummary }[] = [];
        for (const id of ids) {
          const found = await glance(id);
          seen.push({ at: found.at, run: await summarize(found) });
        }
        return { runs: seen.toSorted((a, b) => b.at - a.at).map(({ run }) => run), left: 0 };
      }
      const found = await glanceAtAll();
      const runs: RunSummary[] = [];
      for (const each of found.slice(0, limit)) runs.push(await summarize(each));
      return { runs, left: found.length - runs.length };
    },
    async newest(cwd, which) {
      for (const { id, problem } of await glanceAtAll()) {
        if (problem !== undefined || !(await isOf(id, cwd))) continue;
        const found = await page(id).catch((error: unknown) => {
          if (isProblemOfRun(error)) return undefined;
          throw error;
        });
        if (found === undefined) continue;
        if (which !== "any" && (found.view.workflow === chatWorkflow) !== (which === "chat")) continue;
        const isTakeable = which === "takeable" && found.status === "elsewhere";
        if (which === "any" || isTakeable || isResumable(found.status)) return found;
      }
      return undefined;
    },
    events: (id, from = 1) => store.read(store.folder(id).id, { from }),
    async at(id, seq) {
      const folder = store.folder(id);
      const view = createSessionView(folder.id);
      for await (const event of store.read(folder.id)) {
        foldSession(view, event);
        if (event.seq === seq) return view;
      }
      throw new AtomicError(
        "USAGE",
        `Run ${folder.id} has no event ${seq}. \`atomic sessions logs ${folder.id}\` shows them all.`,
      );
    },
    async *follow(id, { from = 1, signal }) {
      const folder = store.folder(id);
      const over = new AbortController();
      const stop = AbortSignal.any([signal, over.signal]);
      const watch = watchOwner({ store, clock, id: folder.id, signal: stop, onGone: () => over.abort() });
      try {
        for await (const event of store.follow(folder.id, { from, signal: stop })) {
          yield event;
          const isEnd = event.type === "run.paused" || event.type === "run.finished";
          // A pause in the middle of the record was followed by a resume.
          if (isEnd && (await store.info(folder.id)).lastSeq === event.seq) return;
        }
      } finally {
        over.abort();
        await watch;
      }
    },
  };

  async function summarize({ id, info, problem }: Glance): Promise<RunSummary> {
    if (info === undefined) return unreadable(store, id, problem);
    try {
      return summaryOf(await pageOf(store.folder(id), info));
    } catch (error) {
      if (!isProblemOfRun(error)) throw error;
      return unreadable(store, id, error.message);
    }
  }
}

function summaryOf({ view, status, folder }: RunPage): RunSummary {
  const { completed, total } = countTasks([...view.tasks.values()]);
  return {
    id: view.id,
    workflow: view.workflow,
    status,
    reason: status === "paused" ? view.reason : undefined,
    message: view.message,
    agent: view.agent,
    prompt: view.prompt,
    cwd: view.cwd,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
    tasks: { completed, total },
    totals: totalsOf(view),
    questions: [...view.questions.values()],
    sessionDir: folder.dir,
  };
}

/** No process owns it. */
function isGone({ owner }: RunInfo): boolean {
  return owner === "none" || owner === "dead";
}

const ownerPollMs = 500;

/** A killed owner writes no last event: whoever follows has to hear of it some other way. */
async function watchOwner(watch: {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly onGone: () => void;
}): Promise<void> {
  const { store, clock, id, signal } = watch;
  let lastSeq: number | undefined;
  while (!signal.aborted) {
    const info = await store.info(id).catch((error: unknown) => {
      if (AtomicError.is(error) && error.retryable) return "busy" as const;
      if (isProblemOfRun(error)) return undefined;
      throw error;
    });
    // Twice the same: what it appended last has been read in between.
    if (info === undefined) return watch.onGone();
    if (info !== "busy") {
      if (isGone(info) && info.lastSeq === lastSeq) return watch.onGone();
      lastSeq = isGone(info) ? info.lastSeq : undefined;
    }
    await clock.sleep(ownerPollMs, signal).catch(() => undefined);
  }
}

function unreadable(store: SessionStore, id: string, problem: string): RunSummary {
  return {
    id,
    workflow: "",
    status: "unreadable",
    message: problem,
    agent: "",
    prompt: "",
    cwd: "",
    createdAt: 0,
    updatedAt: 0,
    tasks: { completed: 0, total: 0 },
    totals: totalsOf(createSessionView(id)),
    questions: [],
    sessionDir: `${store.dir}/${id}`,
  };
}
