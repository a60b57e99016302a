// The state of a ralph run: plain JSON, so that it can stop and resume anywhere.

import type { NotLanded } from "../worktrees/not-landed.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { annotation, Reducers } from "../graph/model/state.ts";
import type { BaseState } from "../graph/model/state.ts";
import type { Check } from "../checks/check.ts";
import type { TreeName } from "../checks/tree-hash.ts";
import type { KeptChanges } from "./keep-work.ts";
import type { Delivery, LandTarget } from "../worktrees/land-run.ts";
import type { Furnishing, Isolation } from "./work-places.ts";

export interface RalphSettings {
  readonly workers: number;
  readonly maxTries: number;
  readonly maxReviews: number;
  /** Rounds without any change after which work counts as stuck; 0 = never. */
  readonly maxStuck: number;
  /** Commands that must pass, for every task. */
  readonly verify: readonly string[];
  /** How tasks end goes into their list. */
  readonly writeBack?: boolean;
  readonly pr: boolean;
  /** The branch to merge into; null: the agent finds out. Runs of older versions have neither. */
  readonly prBase?: string | null;
  readonly prTitle?: string | null;
  /** Whether each worker gets a separate folder; `auto`: where that is possible and there are several workers. */
  readonly isolate?: boolean | "auto";
  /** Where finished work goes that was done in such folders. */
  readonly land?: LandTarget;
}

/** How a task went, for the report. */
export interface TaskRecord {
  readonly id: string;
  readonly tries: number;
  /** The checks of the last try. */
  readonly checks: readonly ReportedCheck[];
  /** Null when the agent does not say. */
  readonly costUsd: number | null;
  readonly summary: string;
  /** Given up early because nothing changed from try to try. */
  readonly isStuck?: true;
  /** The commit that landed, where the worker had a separate folder. */
  readonly landed?: string;
  /** The commit of a task that did not land. */
  readonly kept?: string;
  /** What the worker changed and what can't land: files under a filter, submodules. */
  readonly notLanded?: readonly NotLanded[];
}

/** What a check printed stays with its step: a state of a thousand tasks must not hold a thousand outputs. */
export type ReportedCheck = Omit<Check, "output">;

export function reported(checks: readonly Check[]): readonly ReportedCheck[] {
  return checks.map((check) => {
    const { output: _, ...rest } = check;
    return rest;
  });
}

/** Unknown as soon as one part is. */
export function addCost(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more;
}

export interface Finding {
  readonly title: string;
  readonly body: string;
  readonly priority: "P0" | "P1" | "P2" | "P3";
  readonly file?: string;
}

/** Which review led to this task, for a fix that was planned here; undefined for every other task. */
export function fixRound({ id, metadata }: WorkflowTask): number | undefined {
  const round = metadata?.["fixes"];
  return typeof round === "number" && id.startsWith(`fix-${round}-`) ? round : undefined;
}

export interface ReviewRecord {
  readonly round: number;
  readonly verdict: "correct" | "incorrect";
  readonly findings: readonly Finding[];
}

/** The last iteration and totals over all of them: of constant size, however many there are. */
export interface YoloLoop {
  readonly iterations: number;
  readonly isDone: boolean;
  readonly costUsd: number | null;
  readonly output: string;
  readonly checks: readonly Check[];
  readonly tree: TreeName;
  /** Iterations in a row that changed no file but ignored ones and said the same. */
  readonly same: number;
}

export interface RalphState extends BaseState {
  mode: "plan" | "tasks" | "yolo";
  prompt: string;
  cwd: string;
  sessionDir: string;
  featureList: string | null;
  /** The list that the tasks come from. Runs of older versions don't say. */
  source?: string | null;
  settings: RalphSettings;
  tasks: WorkflowTask[];
  /** By id; later rounds add to it. */
  records: TaskRecord[];
  reviews: ReviewRecord[];
  /** How far the loop without a task list has come; null in the other modes. */
  loop: YoloLoop | null;
  /** Where the user's uncommitted work was kept, and what else to know about it. */
  kept: KeptChanges | null;
  /** The folder for work trees. Runs of older versions have neither this nor the next three. */
  treesDir?: string;
  furnishing?: Furnishing;
  isolation?: Isolation | null;
  delivery?: Delivery | null;
  pullRequest: string | null;
}

/** Each item whole: what a task no longer has, its error say, must not stay from before. */
function replaceById<T extends { readonly id: string }>(current: readonly T[], update: readonly T[]): T[] {
  const items = new Map(current.map((item) => [item.id, item]));
  for (const item of update) items.set(item.id, item);
  return [...items.values()];
}

export const ralphAnnotations = {
  tasks: annotation<WorkflowTask[]>([], replaceById),
  records: annotation<TaskRecord[]>([], replaceById),
  reviews: annotation<ReviewRecord[]>([], Reducers.concat),
};
