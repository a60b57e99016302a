// What the product needs from a store: the journals of all runs, a list of them, and a folder on this machine for the
// files of each. The executor and the app know no more of it; src/main chooses which one it is.

import { AtomicError, type ErrorCode } from "../../lib/errors.ts";
import type { JournalStore } from "../../journal/port.ts";
import type { StoreShelf } from "../../journal/store-shelf.ts";
import type { SessionFolder } from "./session-folder.ts";
import type { TranscriptSource } from "./shared-transcript.ts";
import type { WorkingRuns } from "./working-runs.ts";

export interface RunStore extends JournalStore {
  /** Holds the folders of runs on this machine. */
  readonly dir: string;
  /**
   * The run's folder on this machine: what shows it to people, logs, records of child processes. Made when the run is
   * opened here. Throws RUN_ID_INVALID, and JOURNAL_CORRUPT where a link is in its place.
   */
  folder(run: string): SessionFolder;
  /** Every run there is, readable or not, in no order. */
  ids(): Promise<readonly string[]>;
  /** The runs that have a folder on this machine, readable or not. */
  localRuns(): readonly string[];
  /** The runs that processes of this machine work on. */
  readonly working: WorkingRuns;
  /** At least those that a process owns right now. Reads no events. */
  maybeOwned(): Promise<readonly string[]>;
  /** What is kept in the store itself besides journals, where several machines share it. */
  readonly shelf?: StoreShelf | undefined;
  /** Where to read what the run's agents said and did, whichever machine they run on. */
  transcript(run: string): Promise<TranscriptSource>;
  /** Resolves when other machines can read what was written to the transcript here, or soon after: it never fails. */
  finishTranscript(run: string): Promise<void>;
}

const problemsOfRun: ReadonlySet<string> = new Set<ErrorCode>([
  "JOURNAL_CORRUPT",
  "JOURNAL_NEWER",
  "JOURNAL_UNREADABLE",
  // Its folder is there, and its journal is not, or holds no run: its process was killed while it made them.
  "RUN_NOT_FOUND",
]);

/** True for what is wrong with one run's record; false for what is wrong with this process or its system. */
export function isProblemOfRun(thrown: unknown): thrown is AtomicError {
  return AtomicError.is(thrown) && problemsOfRun.has(thrown.code);
}
