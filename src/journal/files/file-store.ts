// Runs in folders of plain files, readable by hand. The one implementation behind FileSaver, SessionDirSaver and
// ResearchDirSaver, which differ only in where the folder of a run is.

import { lstatSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { namesIn } from "../../lib/names-in.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { pageOf } from "../list-page.ts";
import { describeOwner, ownerState, refusalOf } from "../owner.ts";
import type {
  JournalHandle,
  JournalOpenOptions,
  JournalStore,
  ListOptions,
  PendingRequest,
  ReadOptions,
  RunInfo,
  RunListing,
  RunRequest,
  StoredEvent,
} from "../port.ts";
import { runNotFound } from "../refusals.ts";
import { parseRunId } from "../run-id.ts";
import { fileFailure } from "./file-failure.ts";
import { followRun } from "./follow-run.ts";
import { newRequests, writeRequest } from "./request-files.ts";
import { checkpointsPath, requestsPath, type RunFolder, segmentNumbers, segmentPath } from "./run-folder.ts";
import { eventsFrom, markFor, readChain, readHeader, type Segment } from "./segment-chain.ts";
import { takeRun } from "./take-run.ts";

/** Where runs are. */
export interface RunFolders {
  /** For messages: the folder that holds them all. */
  readonly place: string;
  pathOf(run: string): string;
  /** Names that may be runs; those without a journal are skipped. */
  candidates(): readonly string[];
}

export class FileStore implements JournalStore {
  readonly #folders: RunFolders;
  readonly #clock: Clock;
  readonly #open = new Set<JournalHandle>();

  constructor(folders: RunFolders, clock: Clock = systemClock) {
    this.#folders = folders;
    this.#clock = clock;
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    const folder = this.#folder(run);
    const handle = guarded(folder, "writing", () =>
      takeRun(folder, options, this.#clock, (closed) => this.#open.delete(closed)),
    );
    this.#open.add(handle);
    return handle;
  }

  async *read(run: string, options: ReadOptions = {}): AsyncGenerator<StoredEvent> {
    const folder = this.#folder(run);
    const from = Math.max(options.from ?? 1, 1);
    const chain = this.#chain(folder);
    try {
      yield* eventsFrom(folder, chain, markFor(chain, from), from);
    } catch (error) {
      throw fileFailure(error, { run, place: folder.path, doing: "reading" });
    }
  }

  async *follow(run: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<StoredEvent> {
    const folder = this.#folder(run);
    this.#chain(folder);
    try {
      yield* followRun(folder, Math.max(options.from ?? 1, 1), options.signal);
    } catch (error) {
      throw fileFailure(error, { run, place: folder.path, doing: "reading" });
    }
  }

  async request(run: string, request: RunRequest): Promise<void> {
    const folder = this.#folder(run);
    this.#chain(folder);
    guarded(folder, "writing", () => writeRequest(folder, request, this.#clock.now()));
  }

  async pending(run: string): Promise<readonly PendingRequest[]> {
    const folder = this.#folder(run);
    this.#chain(folder);
    return guarded(folder, "reading", () => newRequests(folder, new Set()));
  }

  async info(run: string): Promise<RunInfo> {
    return describe(run, this.#chain(this.#folder(run)));
  }

  async list(options?: ListOptions): Promise<RunListing> {
    const found: RunInfo[] = [];
    for (const run of this.#folders.candidates()) {
      const info = this.#listed(run);
      if (info !== undefined) found.push(info);
    }
    return pageOf(found, options);
  }

  async remove(run: string): Promise<void> {
    const folder = this.#folder(run);
    try {
      await this.#remove(folder);
    } catch (error) {
      throw fileFailure(error, { run, place: folder.path, doing: "writing" });
    }
  }

  async close(): Promise<void> {
    for (const handle of [...this.#open]) await handle.close();
  }

  #folder(run: string): RunFolder {
    return { run: parseRunId(run), path: this.#folders.pathOf(run) };
  }

  #chain(folder: RunFolder): readonly Segment[] {
    const chain = guarded(folder, "reading", () => readChain(folder));
    if (chain.length === 0) throw runNotFound(folder.run, this.#folders.place);
    return chain;
  }

  /** A run that can't be read is listed with its problem, so that one bad run does not hide the others. */
  #listed(run: string): RunInfo | undefined {
    try {
      return describe(run, this.#chain(this.#folder(run)));
    } catch (error) {
      if (!AtomicError.is(error)) throw error;
      if (error.code === "RUN_NOT_FOUND" || error.code === "RUN_ID_INVALID") return undefined;
      const unknown = { owner: "none", ownedBy: undefined, status: undefined, dueAt: undefined } as const;
      return { run, ...unknown, lastSeq: 0, createdAt: 0, updatedAt: 0, problem: error.message };
    }
  }

  async #remove(folder: RunFolder): Promise<void> {
    const found = lstatSync(folder.path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) return rmSync(folder.path);
    if (found === undefined || !hasTraces(folder)) throw runNotFound(folder.run, this.#folders.place);
    refuseOwned(folder);
    // Owned first, so that no process resumes it meanwhile. A damaged run can't be owned, but may be removed.
    const handle = await this.open(folder.run, { mode: "resume" }).catch((error: unknown) => {
      if (AtomicError.is(error, "JOURNAL_CORRUPT") || AtomicError.is(error, "RUN_NOT_FOUND")) return undefined;
      throw error;
    });
    // The first segment goes first: after an interruption the rest is refused as damaged, not mistaken for a run.
    for (const segment of segmentNumbers(folder)) rmSync(segmentPath(folder, segment), { force: true });
    for (const path of [checkpointsPath(folder), requestsPath(folder)]) removeFolder(path);
    for (const name of namesIn(folder.path)) if (/^\.[0-9a-f-]{36}\.tmp$/.test(name)) rmSync(join(folder.path, name));
    await handle?.close();
    // The folder may also hold files that are not the journal's (a session's tasks and logs).
    if (namesIn(folder.path).length === 0) rmdirSync(folder.path);
  }
}

function guarded<T>(folder: RunFolder, doing: "reading" | "writing", body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw fileFailure(error, { run: folder.run, place: folder.path, doing });
  }
}

function hasTraces(folder: RunFolder): boolean {
  return segmentNumbers(folder).length > 0 || namesIn(checkpointsPath(folder)).length > 0;
}

/** Reads the last segment only: damage in the others may be why the run is removed. */
function refuseOwned(folder: RunFolder): void {
  const last = segmentNumbers(folder).at(-1);
  if (last === undefined) return;
  try {
    const { header } = readHeader(folder, segmentPath(folder, last));
    const refusal = header.state.isOpen ? refusalOf(folder.run, header.owner) : undefined;
    if (refusal !== undefined) throw refusal;
  } catch (error) {
    if (!AtomicError.is(error, "JOURNAL_CORRUPT")) throw error;
  }
}

function describe(run: string, chain: readonly Segment[]): RunInfo {
  const end = chain.at(-1)!;
  const last = end.header;
  // A power cut may have left only the header that announces the last record.
  const index = end.seq === last.state.seq ? last.index : undefined;
  return {
    run,
    owner: last.state.isOpen ? ownerState(last.owner) : "none",
    ownedBy: describeOwner(last.owner),
    status: index?.status,
    dueAt: index?.dueAt,
    lastSeq: end.seq,
    createdAt: chain[0]!.header.owner.since,
    updatedAt:
      chain.findLast((segment) => segment.seq > segment.seqBefore)?.header.state.at ?? chain[0]!.header.owner.since,
  };
}
