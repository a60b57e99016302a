// Any journal store as the product's store: runs are kept there, for all machines that use it, and each machine has a
// separate folder for the files of the runs it works on.

import { existsSync, readdirSync } from "node:fs";
import { discard, systemCode } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import type { JournalHandle, JournalStore, JournalOpenOptions } from "../../journal/port.ts";
import type { StoreShelf } from "../../journal/store-shelf.ts";
import { readerViewOf, removeOldViews } from "./reader-views.ts";
import type { RunStore } from "./run-store.ts";
import { createSessionFolder, isSessionId, refuseLinks, type SessionFolder, sessionFolder } from "./session-folder.ts";
import { SharedTranscripts, type TranscriptSource, TranscriptUpload } from "./shared-transcript.ts";
import { WorkingRuns } from "./working-runs.ts";

export class JournalRunStore implements RunStore {
  readonly dir: string;
  readonly working: WorkingRuns;
  readonly shelf: StoreShelf | undefined;
  readonly #journal: JournalStore;
  readonly #transcripts: SharedTranscripts | undefined;
  readonly #uploads = new Map<string, TranscriptUpload>();

  /** `shelf`: for other machines that use the same journals. */
  constructor(options: { readonly journal: JournalStore; readonly dir: string; readonly shelf?: StoreShelf }) {
    this.shelf = options.shelf;
    this.#transcripts = options.shelf && new SharedTranscripts(options.shelf);
    this.dir = options.dir;
    this.working = new WorkingRuns(options.dir);
    this.#journal = options.journal;
  }

  folder(run: string): SessionFolder {
    const own = sessionFolder(this.dir, run);
    const folder = this.shelf === undefined ? own : { ...own, readerView: readerViewOf(this.dir, own.id) };
    refuseLinks(folder);
    return folder;
  }

  async ids(): Promise<readonly string[]> {
    const ids = (await this.#journal.list()).runs.map(({ run }) => run).filter(isSessionId);
    removeOldViews(this.dir, ids);
    return ids;
  }

  localRuns(): readonly string[] {
    try {
      return readdirSync(this.dir).filter(isSessionId);
    } catch (cause) {
      if (systemCode(cause) === "ENOENT" || systemCode(cause) === "ENOTDIR") return [];
      throw cause;
    }
  }

  async maybeOwned(): Promise<readonly string[]> {
    return (await this.#journal.list({ isOwned: true })).runs.map(({ run }) => run).filter(isSessionId);
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    const folder = this.folder(run);
    const isNew = !existsSync(folder.dir);
    // The folder first: a run that is owned and has no place to work in would have to be given up again.
    createSessionFolder(folder);
    this.working.add(folder.id);
    try {
      const handle = await this.#journal.open(folder.id, options);
      this.#upload(folder);
      return handle;
    } catch (thrown) {
      if (isNew && AtomicError.is(thrown)) removeFolder(folder.dir);
      throw thrown;
    }
  }

  async transcript(run: string): Promise<TranscriptSource> {
    const { id, transcript: path } = this.folder(run);
    return this.#transcripts === undefined ? { path } : this.#transcripts.find(id, path);
  }

  async finishTranscript(run: string): Promise<void> {
    const upload = this.#uploads.get(run);
    this.#uploads.delete(run);
    await upload?.close();
  }

  async close(): Promise<void> {
    for (const run of [...this.#uploads.keys()]) await this.finishTranscript(run);
    await this.#journal.close();
  }

  /** Continues after the journal is closed: what agents said last is written then. */
  #upload({ id, transcript: path }: SessionFolder): void {
    if (this.shelf === undefined || this.#uploads.has(id)) return;
    this.#uploads.set(id, new TranscriptUpload({ shelf: this.shelf, run: id, path }));
  }

  async remove(run: string): Promise<void> {
    const folder = this.folder(run);
    await this.#journal.remove(folder.id);
    removeFolder(folder.dir);
    if (folder.readerView !== undefined) discard(folder.readerView);
  }

  read: JournalStore["read"] = (run, options) => this.#journal.read(this.folder(run).id, options);
  follow: JournalStore["follow"] = (run, options) => this.#journal.follow(this.folder(run).id, options);
  request: JournalStore["request"] = (run, request) => this.#journal.request(this.folder(run).id, request);
  pending: JournalStore["pending"] = (run) => this.#journal.pending(this.folder(run).id);
  info: JournalStore["info"] = (run) => this.#journal.info(this.folder(run).id);
  list: JournalStore["list"] = (options) => this.#journal.list(options);
}
