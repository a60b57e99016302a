// Any journal store as the product's store: runs are kept there, for all machines that use it, and each machine has a
// folder of its own for the files of the runs it works on.

import { existsSync, readdirSync } from "node:fs";
import { systemCode } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import type { JournalHandle, JournalStore, JournalOpenOptions } from "../../journal/port.ts";
import type { RunStore } from "./run-store.ts";
import { createSessionFolder, isSessionId, refuseLinks, type SessionFolder, sessionFolder } from "./session-folder.ts";
import { WorkingRuns } from "./working-runs.ts";

export class JournalRunStore implements RunStore {
  readonly dir: string;
  readonly working: WorkingRuns;
  readonly #journal: JournalStore;

  constructor(options: { readonly journal: JournalStore; readonly dir: string }) {
    this.dir = options.dir;
    this.working = new WorkingRuns(options.dir);
    this.#journal = options.journal;
  }

  folder(run: string): SessionFolder {
    const folder = sessionFolder(this.dir, run);
    refuseLinks(folder);
    return folder;
  }

  async ids(): Promise<readonly string[]> {
    return (await this.#journal.list()).runs.map(({ run }) => run).filter(isSessionId);
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
      return await this.#journal.open(folder.id, options);
    } catch (thrown) {
      if (isNew && AtomicError.is(thrown)) removeFolder(folder.dir);
      throw thrown;
    }
  }

  async remove(run: string): Promise<void> {
    const folder = this.folder(run);
    await this.#journal.remove(folder.id);
    removeFolder(folder.dir);
  }

  read: JournalStore["read"] = (run, options) => this.#journal.read(this.folder(run).id, options);
  follow: JournalStore["follow"] = (run, options) => this.#journal.follow(this.folder(run).id, options);
  request: JournalStore["request"] = (run, request) => this.#journal.request(this.folder(run).id, request);
  info: JournalStore["info"] = (run) => this.#journal.info(this.folder(run).id);
  list: JournalStore["list"] = (options) => this.#journal.list(options);
  close: JournalStore["close"] = () => this.#journal.close();
}
