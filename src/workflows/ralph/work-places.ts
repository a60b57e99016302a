// Where the workers of a run work, as the run's state has it.

import type { TreesPlan } from "../worktrees/run-repository.ts";

/** Types and not interfaces: they go into the record as JSON. */
export type OwnTrees = {
  readonly mode: "trees";
  readonly trees: TreesPlan;
  /** The run's folder below the top of the repository; empty at the top itself. */
  readonly prefix: string;
};

/** What work trees get besides the commit's files, as it was asked for. */
export type Furnishing = {
  readonly setup: string | null;
  readonly share: readonly string[];
};

export type SharedFolder = {
  readonly mode: "shared";
  /** A clause: `there is only one worker`. */
  readonly reason: string;
};

export type Isolation = OwnTrees | SharedFolder;
