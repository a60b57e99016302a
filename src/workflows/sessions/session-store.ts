// The journals of all runs of a user: one SQLite file in each run's own folder, so that removing a folder removes the
// run and nothing else.

import { existsSync, readdirSync } from "node:fs";
import { isSystemError, systemCode } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { fileSystemOf } from "../../lib/file-system.ts";
import { type FolderLock, isFolderFree, lockFolder } from "../../lib/folder-lock.ts";
import { isOutOfFilesCode, outOfFiles } from "../../lib/open-files.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { pageOf } from "../../journal/list-page.ts";
import type {
  JournalHandle,
  JournalOpenOptions,
  ListOptions,
  PendingRequest,
  ReadOptions,
  RunInfo,
  RunListing,
  RunRequest,
  StoredEvent,
} from "../../journal/port.ts";
import { runNotFound } from "../../journal/refusals.ts";
import type { SqliteSaver } from "../../journal/sqlite/sqlite-saver.ts";
import { isProblemOfRun, type RunStore } from "./run-store.ts";
import { createSessionFolder, isSessionId, refuseLinks, type SessionFolder, sessionFolder } from "./session-folder.ts";
import type { TranscriptSource } from "./shared-transcript.ts";
import { WorkingRuns } from "./working-runs.ts";

export class SessionStore implements RunStore {
  readonly #dir: string;
  readonly working: WorkingRuns;
  /** Those that a run was opened with. */
  readonly #savers = new Set<SqliteSaver>();

  constructor(options: { readonly dir: string }) {
    this.#dir = options.dir;
    this.working = new WorkingRuns(options.dir);
  }

  get dir(): string {
    return this.#dir;
  }

  folder(run: string): SessionFolder {
    const folder = sessionFolder(this.#dir, run);
    refuseLinks(folder);
    return folder;
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    const folder = this.folder(run);
    if (options.mode === "create") return this.#create(folder, options);
    this.#requireJournal(folder);
    return this.#openLocked(folder, options);
  }

  async *read(run: string, options?: ReadOptions): AsyncGenerator<StoredEvent> {
    yield* (await this.#saver(run)).read(run, options);
  }

  async *follow(run: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<StoredEvent> {
    yield* (await this.#saver(run)).follow(run, options);
  }

  async request(run: string, request: RunRequest): Promise<void> {
    await (await this.#saver(run)).request(run, request);
  }

  async pending(run: string): Promise<readonly PendingRequest[]> {
    return (await this.#saver(run)).pending(run);
  }

  async info(run: string): Promise<RunInfo> {
    return (await this.#saver(run)).info(run);
  }

  async list(options?: ListOptions): Promise<RunListing> {
    const runs: RunInfo[] = [];
    // One at a time: each has three files open while it is looked at, and reading is synchronous anyway.
    for (const id of this.localRuns()) {
      try {
        runs.push(await this.info(id));
      } catch (thrown) {
        // It is shown with its problem, and does not hide the others.
        if (!isProblemOfRun(thrown)) throw thrown;
        const unknown = { owner: "none", ownedBy: undefined, status: undefined, dueAt: undefined } as const;
        runs.push({ run: id, ...unknown, lastSeq: 0, createdAt: 0, updatedAt: 0, problem: thrown.message });
      }
    }
    return pageOf(runs, options);
  }

  async ids(): Promise<readonly string[]> {
    return this.localRuns();
  }

  localRuns(): readonly string[] {
    try {
      return readdirSync(this.#dir).filter(isSessionId);
    } catch (cause) {
      // No folder, no runs; one that is there and can't be listed may hold any number of them.
      if (systemCode(cause) === "ENOENT" || systemCode(cause) === "ENOTDIR") return [];
      if (isOutOfFilesCode(systemCode(cause))) throw outOfFiles(this.#dir, cause);
      const text = `${this.#dir} can't be read: ${messageOf(cause)}. Runs are kept there; give yourself the right to read it.`;
      throw new AtomicError("JOURNAL_UNREADABLE", text, { cause, details: { path: this.#dir } });
    }
  }

  async maybeOwned(): Promise<readonly string[]> {
    if (!this.working.isComplete) return this.localRuns();
    const marks = this.working.list().filter((mark) => mark.process !== "dead");
    return [...new Set(marks.map(({ run }) => run))];
  }

  async transcript(run: string): Promise<TranscriptSource> {
    return { path: this.folder(run).transcript };
  }

  async finishTranscript(): Promise<void> {}

  async remove(run: string): Promise<void> {
    const folder = this.folder(run);
    if (!existsSync(folder.dir)) throw runNotFound(run, this.#dir);
    if (existsSync(folder.journal)) await (await saver(folder)).remove(folder.id).catch(unlessMissing);
    if (removeFolder(folder.dir)) return;
    throw new AtomicError(
      "JOURNAL_WRITE_FAILED",
      `The record of run ${folder.id} is removed, but another program has a file in ${folder.dir} open, so the folder is still there. Remove it when that program has ended.`,
      { details: { run: folder.id, path: folder.dir } },
    );
  }

  async close(): Promise<void> {
    for (const saver of this.#savers) await saver.close();
  }

  /** The owner holds a lock on the folder: other containers of this machine can see by it whether the owner lives. */
  async #openLocked(folder: SessionFolder, options: JournalOpenOptions): Promise<JournalHandle> {
    this.working.add(folder.id);
    const lock = lockFolder(folder.dir);
    try {
      const locked = await saver(folder, lock);
      this.#savers.add(locked);
      return await locked.open(folder.id, options);
    } catch (thrown) {
      lock?.release();
      throw thrown;
    }
  }

  /** A disk that is full before anything was recorded leaves no folder that looks like a run. */
  async #create(folder: SessionFolder, options: JournalOpenOptions): Promise<JournalHandle> {
    const isNew = !existsSync(folder.journal);
    try {
      createSessionFolder(folder);
      return await this.#openLocked(folder, options);
    } catch (thrown) {
      if (isNew && AtomicError.is(thrown, "JOURNAL_WRITE_FAILED")) tryToRemove(folder.dir);
      throw thrown;
    }
  }

  async #saver(run: string): Promise<SqliteSaver> {
    const folder = this.folder(run);
    this.#requireJournal(folder);
    return saver(folder);
  }

  #requireJournal(folder: SessionFolder): void {
    if (!existsSync(folder.journal)) throw runNotFound(folder.id, this.#dir);
  }
}

/**
 * An agent's turn costs minutes and money: its record is on the disk, not only in the system's memory. Loaded with the
 * first run that is opened: a list of runs has what it shows beside their journals.
 */
async function saver(folder: SessionFolder, lock?: FolderLock): Promise<SqliteSaver> {
  const { SqliteSaver } = await import("../../journal/sqlite/sqlite-saver.ts");
  const ownerEvidence = {
    isDiskLocal: () => fileSystemOf(folder.dir).place === "local",
    isLockFree: () => lock !== undefined || isFolderFree(folder.dir),
  };
  return new SqliteSaver({ path: folder.journal, sync: "full", ownerEvidence, lock });
}

function tryToRemove(dir: string): void {
  try {
    removeFolder(dir);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    // Why the run can't be made is already on its way to the user.
  }
}

/** A process that was killed while it made the journal leaves one without a run. */
function unlessMissing(thrown: unknown): void {
  if (!AtomicError.is(thrown, "RUN_NOT_FOUND")) throw thrown;
}
