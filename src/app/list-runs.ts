// Lists of runs: what each shows, and which come first. Reads no events of a run whose summary is kept: beside its
// journal (summary-cache.ts), or in the store itself where several machines share it.

import { AtomicError } from "../lib/errors.ts";
import { version } from "../lib/version.ts";
import type { RunInfo } from "../journal/port.ts";
import { countTasks } from "../tasks/task-order.ts";
import { isProblemOfRun, type RunStore } from "../workflows/sessions/run-store.ts";
import { isSessionId, type SessionFolder } from "../workflows/sessions/session-folder.ts";
import { createSessionView, type SessionView, totalsOf } from "../workflows/sessions/empty-view.ts";
import { readRunPlaces, type RunPlaces } from "./run-places.ts";
import { isRunSummary, type RunSummary } from "./run-summary.ts";
import type { RunPage } from "./run-page.ts";
import { hasNoOwner, pauseReason, type RunStatus } from "./run-status.ts";
import type { SummaryCache } from "./summary-cache.ts";

type StoreShelf = NonNullable<RunStore["shelf"]>;
type ListedRun = Awaited<ReturnType<StoreShelf["listRuns"]>>["runs"][number];

export interface RunList {
  readonly runs: readonly RunSummary[];
  /** How many more there are. */
  readonly left: number;
}

interface ShownRun {
  /** When it was last written to. */
  readonly at: number;
  readonly summary: RunSummary;
}

export interface PlacedRun extends Pick<ShownRun, "at"> {
  readonly id: string;
  readonly isReadable: boolean;
}

export interface RunLists {
  /** The newest first. */
  list(limit?: number): Promise<RunList>;
  /** All runs, the newest first, without reading their events; those that can't be read are the last. */
  order(): Promise<readonly PlacedRun[]>;
}

/** What a summary is made of. */
interface ReadRun {
  readonly view: SessionView;
  readonly status: RunStatus;
  readonly savedAnswers: RunPage["savedAnswers"];
  readonly folder: SessionFolder;
}

export interface RunListsOptions {
  readonly store: RunStore;
  readonly cache: SummaryCache;
  readonly pageOf: (folder: SessionFolder, info: RunInfo) => Promise<ReadRun>;
  readonly now: () => number;
}

export function createRunLists({ store, cache, pageOf, now }: RunListsOptions): RunLists {
  /** What a list shows of a run, and its place in the list. */
  async function show(id: string): Promise<ShownRun> {
    try {
      const folder = store.folder(id);
      const { at, summary } = cache.find(folder) ?? {};
      if (at !== undefined && summary !== undefined) return { at, summary };
      return await cache.keep(folder, async () => {
        const info = await store.info(id);
        const read = { at: info.updatedAt, summary: await summarize(folder, info) };
        return { known: read, isFinal: hasNoOwner(info) && read.summary.status !== "unreadable" };
      });
    } catch (error) {
      if (!isProblemOfRun(error)) throw error;
      return { at: 0, summary: unreadable(store, id, error.message) };
    }
  }

  async function placeOf(id: string, places: RunPlaces): Promise<Omit<PlacedRun, "id">> {
    try {
      const folder = store.folder(id);
      const known = cache.find(folder);
      if (known !== undefined) {
        places.note(id, known);
        return { at: known.at, isReadable: true };
      }
      const { at } = await cache.keep(folder, async () => {
        const info = await store.info(id);
        return { known: { at: info.updatedAt }, isFinal: hasNoOwner(info) };
      });
      return { at, isReadable: true };
    } catch (error) {
      if (!isProblemOfRun(error)) throw error;
      return { at: 0, isReadable: false };
    }
  }

  async function summarize(folder: SessionFolder, info: RunInfo): Promise<RunSummary> {
    try {
      return summaryOf(await pageOf(folder, info));
    } catch (error) {
      if (!isProblemOfRun(error)) throw error;
      return unreadable(store, folder.id, error.message);
    }
  }

  /** The summary that is kept in the store, or a new one, which is then kept for every machine. */
  async function showShared(shelf: StoreShelf, { info, summary: kept }: ListedRun): Promise<RunSummary> {
    const folder = store.folder(info.run);
    const known = kept === undefined ? undefined : readKept(kept, folder);
    if (known !== undefined) return known;
    const summary = await summarize(folder, info);
    // An answer to an open question changes nothing that the summary is kept under.
    if (info.owner === "none" && summary.status !== "unreadable" && summary.questions.length === 0) {
      await shelf.keepSummary(info.run, info.lastSeq, JSON.stringify({ version, summary })).catch(unlessOurs);
    }
    return summary;
  }

  async function order(): Promise<readonly PlacedRun[]> {
    const shared = await listShared(store, undefined);
    if (shared !== undefined)
      return shared.runs.map(({ info }) => ({ id: info.run, at: info.updatedAt, isReadable: true }));
    const found: PlacedRun[] = [];
    // One at a time: each has three files open while it is looked at, and reading is synchronous anyway.
    const places = readRunPlaces(store.dir, now);
    for (const id of await store.ids()) {
      const at = places.find(id);
      found.push({ id, ...(at === undefined ? await placeOf(id, places) : { at, isReadable: true }) });
    }
    places.save();
    return found.toSorted((a, b) => b.at - a.at);
  }

  return {
    order,
    async list(limit = Number.POSITIVE_INFINITY) {
      const shared = await listShared(store, Number.isFinite(limit) ? limit : undefined);
      if (shared !== undefined) {
        const runs: RunSummary[] = [];
        for (const listed of shared.runs) runs.push(await showShared(shared.shelf, listed));
        return { runs, left: shared.total - runs.length };
      }
      const ids = await store.ids();
      if (ids.length <= limit) {
        const shown: ShownRun[] = [];
        for (const id of ids) shown.push(await show(id));
        return { runs: shown.toSorted((a, b) => b.at - a.at).map(({ summary }) => summary), left: 0 };
      }
      const runs: RunSummary[] = [];
      for (const { id } of (await order()).slice(0, limit)) runs.push((await show(id)).summary);
      return { runs, left: ids.length - runs.length };
    },
  };
}

/** Undefined where no other machine uses the store, or it was prepared by a version that kept no summaries. */
async function listShared(store: RunStore, limit: number | undefined) {
  const { shelf } = store;
  if (shelf === undefined) return undefined;
  try {
    const { runs, total } = await shelf.listRuns(limit);
    return { shelf, total, runs: runs.filter(({ info }) => isSessionId(info.run)) };
  } catch (thrown) {
    if (AtomicError.is(thrown, "STORE_NOT_PREPARED")) return undefined;
    throw thrown;
  }
}

/** What another version kept counts as nothing. The folder is that of this machine. */
function readKept(text: string, folder: SessionFolder): RunSummary | undefined {
  try {
    const kept = JSON.parse(text) as { readonly version?: unknown; readonly summary?: unknown } | null;
    if (kept?.version !== version || !isRunSummary(kept.summary) || kept.summary.id !== folder.id) return undefined;
    return { ...kept.summary, sessionDir: folder.dir };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** A database that may only be read keeps no summaries. */
function unlessOurs(thrown: unknown): void {
  if (!AtomicError.is(thrown)) throw thrown;
}

function summaryOf({ view, status, folder, savedAnswers }: ReadRun): RunSummary {
  const { completed, total } = countTasks([...view.tasks.values()]);
  return {
    id: view.id,
    workflow: view.workflow,
    status,
    reason: pauseReason({ view, status, savedAnswers }),
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

function unreadable(store: RunStore, id: string, problem: string): RunSummary {
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
