// What a store that several machines share keeps beside its journals: pieces of transcripts, and what lists show of runs
// that no process works on. A store may have none. Losing it costs a picture or time, never a run.

import type { RunInfo } from "./port.ts";

export interface TranscriptPiece {
  /** Grows from piece to piece of a run. */
  readonly id: string;
  readonly text: string;
}

/** A part of a file: `source` names the file, `start` and `stop` are places in it. */
export interface FilePart {
  readonly source: string;
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

export interface ListedRun {
  readonly info: RunInfo;
  /** What was kept for the record as it stands; undefined when nothing was, or a process works on the run. */
  readonly summary: string | undefined;
}

export interface StoreShelf {
  /** Keeps a part of a transcript; the same part is kept once. */
  addPiece(run: string, part: FilePart): Promise<void>;
  /** Where the parts of this file end. */
  keptUpTo(run: string, source: string): Promise<number>;
  /** Removes the oldest pieces beyond this many characters. */
  trimPieces(run: string, maxChars: number): Promise<void>;
  /** The next pieces after this one, a few at a time; none are left when it gives none. */
  pieces(run: string, after: string): Promise<readonly TranscriptPiece[]>;
  /** Whether there are pieces of files whose names begin otherwise. */
  hasOtherSources(run: string, prefix: string): Promise<boolean>;
  /** The runs that were last appended to, and how many there are. */
  listRuns(limit: number | undefined): Promise<{ readonly runs: readonly ListedRun[]; readonly total: number }>;
  /** Counts only as long as `seq` is the run's last event and no process works on it. */
  keepSummary(run: string, seq: number, summary: string): Promise<void>;
}
