// What a store that several machines share keeps beside its journals: pieces of transcripts, and what lists show of
// runs that no process works on. A store may have none. Losing it costs display or time, never a run.

import type { RunInfo } from "./port.ts";

export interface TranscriptPiece {
  /** Grows from piece to piece of a run. */
  readonly id: string;
  readonly text: string;
}

/** A part of a file: `source` names the file, `start` and `stop` are offsets in it. */
export interface FilePart {
  readonly source: string;
  readonly start: number;
  readonly stop: number;
  readonly text: string;
}

export interface ListedRun {
  readonly info: RunInfo;
  /** The summary of the run's last event; undefined when none is stored, or while a process works on the run. */
  readonly summary: string | undefined;
}

export interface StoreShelf {
  /** Keeps a part of a transcript; the same part is kept once. */
  addPiece(run: string, part: FilePart): Promise<void>;
  /** The offset up to which this file is stored. */
  keptUpTo(run: string, source: string): Promise<number>;
  /** Removes the oldest pieces beyond this many characters. */
  trimPieces(run: string, maxChars: number): Promise<void>;
  /** The next few pieces after this one; empty at the end. */
  pieces(run: string, after: string): Promise<readonly TranscriptPiece[]>;
  /** Whether there are pieces of files whose names do not start with the prefix. */
  hasOtherSources(run: string, prefix: string): Promise<boolean>;
  /** The most recently appended runs, and the number of all runs. */
  listRuns(limit: number | undefined): Promise<{ readonly runs: readonly ListedRun[]; readonly total: number }>;
  /** Valid only while `seq` is the run's last event and no process works on it. */
  keepSummary(run: string, seq: number, summary: string): Promise<void>;
}
