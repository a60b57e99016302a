// Where the workers of a run work, and where their work goes in the end, as the run's state has it.

import type { TreesPlan } from "../worktrees/run-repository.ts";

/** Types and not interfaces: they go into the record as JSON. */
export type OwnTrees = {
  readonly mode: "trees";
  readonly trees: TreesPlan;
  /** The run's folder below the top of the repository; empty at the top itself. */
  readonly prefix: string;
};

export type SharedFolder = {
  readonly mode: "shared";
  /** A clause: `there is only one worker`. */
  readonly reason: string;
};

export type Isolation = OwnTrees | SharedFolder;

export type LandTarget = "tree" | "branch" | "none";

/** A type and not an interface: it goes into the record as JSON. */
export type Delivery = {
  /** Where the work is now. */
  readonly target: LandTarget;
  /** What was delivered: what has landed by then. */
  readonly commit: string;
  /** Files written or removed in the user's folder. */
  readonly files: number;
  /** The branch or ref that holds the work. */
  readonly ref: string;
  /** Files that the user changed meanwhile, and that kept the work out of the folder. */
  readonly blocked: readonly string[];
  /** Why it is not where it was to be. */
  readonly problem: string | null;
};
