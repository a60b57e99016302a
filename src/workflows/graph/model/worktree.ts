// A separate folder for a part of a run's work, as authors see it: `ctx.worktree(name)`. What makes such folders is
// passed in with the runtime; the engine knows neither git nor files.

import type { ReportedEvent } from "../../../events/reported-events.ts";
import type { Json } from "../../../lib/json.ts";

export interface Worktree {
  readonly name: string;
  /** Where to work: the folder of the work tree that stands for the run's own. */
  readonly folder: string;
  /** Nothing of an earlier node, try or process is in it. */
  readonly isNew: boolean;
  /**
   * Commits what is in the folder, merges it with what has landed meanwhile, runs the checks on the merged files, and
   * adds it to the run's work, or says why not. After a conflict or a failed check the folder holds the merge: fix it
   * there, and land again. Recorded: a crash neither loses it nor lands it twice.
   */
  land(options?: LandOptions): Promise<WorktreeLanding>;
  /** Commits what is in the folder under a ref of the run, without landing it. */
  keep(): Promise<KeptWork>;
  /** Removes the folder with everything in it that was neither landed nor kept. */
  remove(): Promise<void>;
}

export interface LandOptions {
  /** The subject of the commit; default: the work tree's name. */
  readonly message?: string | undefined;
  /** Shell commands that must succeed on the merged files. */
  readonly verify?: readonly string[] | undefined;
}

/** Types and not interfaces: they may go into the state. */
export type WorktreeLanding = {
  /** `unchanged`: there was nothing to land. */
  readonly outcome: "landed" | "unchanged" | "conflict" | "check-failed";
  /** The commit in the run's work; null unless it landed. */
  readonly commit: string | null;
  /** Files in conflict. */
  readonly files: readonly string[];
  /** The checks that ran, up to the first that failed. */
  readonly checks: readonly WorktreeCheck[];
  /** Changed files that can't land: those under a filter (Git LFS), and in submodules. */
  readonly notLanded: readonly string[];
};

export type WorktreeCheck = {
  readonly command: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly output: string;
};

export type KeptWork = {
  readonly commit: string;
  /** `git show REF` shows it. */
  readonly ref: string;
};

/** What a work tree uses of the visit that asked for it. */
export interface WorktreeVisit {
  readonly node: string;
  readonly signal: AbortSignal;
  step<T extends Json>(name: string, body: () => Promise<T>): Promise<T>;
  record(event: ReportedEvent): void;
}

export interface WorktreeSource {
  /** The work tree of that name: as it was left, or a new one with the user's files and everything that has landed. */
  open(name: string, visit: WorktreeVisit): Promise<Worktree>;
}
