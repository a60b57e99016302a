// The result of one try of a task, and what follows from it: done, retried, or given up. Pure, so that a resumed run
// makes the same decision from the same record.

import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type Check, hasPassed, howItEnded } from "../checks/check.ts";
import { addCost, type RalphSettings, reported, type TaskRecord } from "./state.ts";
import type { TreeName } from "../checks/tree-hash.ts";
import type { TreeStart } from "../worktrees/work-tree.ts";
import type { TakenWork } from "../worktrees/land-work.ts";
import type { Landing } from "./landing.ts";

/** The worker's turn; a separate recorded step, so that a crash during the checks does not take it again. */
export type TriedTurn = {
  readonly isDone: boolean;
  readonly error: string | null;
  readonly summary: string;
  readonly costUsd: number | null;
  /** What the folder held after a turn that failed; null if it is not needed, or unknown. */
  readonly tree: TreeName;
  /** What was committed of it, where the worker has a separate folder. */
  readonly taken?: TakenWork;
};

export interface TaskTry extends TriedTurn {
  readonly checks: readonly Check[];
  /** Whether its work landed in the run's head, where the worker has a separate folder. */
  readonly landing?: Landing | undefined;
}

/** What the tree of the next try is to hold, should it have to be made again. */
export function nextStart(first: TreeStart, tries: readonly TaskTry[]): TreeStart {
  let start = first;
  for (const { taken, landing } of tries) {
    if (landing !== undefined) start = { content: landing.commit, head: landing.head };
    else if (typeof taken?.commit === "string") start = { content: taken.commit, head: start.head };
  }
  return start;
}

export function recordOf(id: string, tries: readonly TaskTry[]): TaskRecord {
  const last = tries.at(-1);
  const costUsd = tries.reduce<number | null>((sum, each) => addCost(sum, each.costUsd), 0);
  const record = {
    id,
    tries: tries.length,
    checks: reported(last?.checks ?? []),
    costUsd,
    summary: last?.summary ?? "",
    ...(last?.taken?.notLanded !== undefined && { notLanded: last.taken.notLanded }),
  };
  const { landing } = last ?? {};
  if (landing?.outcome === "landed") return { ...record, landed: landing.commit };
  const kept = tries.findLast(({ taken }) => typeof taken?.commit === "string")?.taken?.commit;
  return typeof kept === "string" ? { ...record, kept } : record;
}

export interface Verdict extends Pick<WorkflowTask, "status" | "error"> {
  /** Given up before its tries were used: a resumed run may try it again. */
  readonly isStuck?: true;
}

/** Undefined: the task is tried once more. */
export function verdictOf(tries: readonly TaskTry[], settings: RalphSettings): Verdict | undefined {
  const last = tries.at(-1);
  if (last === undefined) return undefined;
  if (last.isDone && last.checks.every(hasPassed) && isLanded(last)) return { status: "completed" };
  const { maxTries, maxStuck } = settings;
  if (tries.length >= maxTries) return failed(`not done after ${maxTries} ${maxTries === 1 ? "try" : "tries"}`, last);
  const same = sameAtTheEnd(tries);
  if (maxStuck > 0 && same > maxStuck)
    return {
      ...failed(`stuck: ${same} tries changed no file but ignored ones and failed in the same way`, last),
      isStuck: true,
    };
  return undefined;
}

/** Where all share a folder there is nothing to land. */
function isLanded({ landing, taken }: TaskTry): boolean {
  return taken === undefined || landing?.outcome === "landed";
}

function failed(why: string, last: TaskTry): Verdict {
  const check = last.checks.find((each) => !hasPassed(each));
  const reason = check === undefined ? (last.error ?? conflictText(last)) : `\`${check.command}\` ${howItEnded(check)}`;
  return { status: "failed", error: reason === null ? why : `${why}: ${reason}` };
}

function conflictText({ landing }: TaskTry): string | null {
  return landing?.outcome === "conflict" ? `conflicts with what landed before, in ${landing.files.join(", ")}` : null;
}

/**
 * How many of the last tries left the folder as it was and failed in the same way: another one would be the same
 * again.
 */
function sameAtTheEnd(tries: readonly TaskTry[]): number {
  const prints = tries.map(printOf);
  let count = 1;
  while (count < prints.length && prints.at(-1) !== undefined && prints.at(-1 - count) === prints.at(-1)) count++;
  return count;
}

/** Undefined if the folder's state is unknown: such a try equals no other. */
function printOf({ error, tree, checks, landing }: TaskTry): string | undefined {
  const held = checks.length > 0 ? (checks.at(-1)?.tree ?? null) : tree;
  if (held === null) return undefined;
  const seen = checks.map(({ command, exitCode, output }) => [command, exitCode, withoutNumbers(output)]);
  return JSON.stringify([held, withoutNumbers(error ?? ""), seen, landing?.files ?? []]);
}

/** Times, ports and process ids differ from round to round and mean nothing. */
export function withoutNumbers(output: string): string {
  return output.replaceAll(/\d+/g, "0");
}
