// What the report says about work that was done in separate folders: where it is, and what did not land.

import { runRef, taskRefName } from "../worktrees/run-refs.ts";
import type { RalphState } from "./state.ts";
import type { Delivery } from "../worktrees/land-run.ts";

export function landingNotes(state: Readonly<RalphState>): readonly string[] {
  const { isolation, delivery = null, records, tasks } = state;
  if (isolation?.mode !== "trees") return [];
  const undone = new Set(tasks.filter(({ status }) => status !== "completed").map(({ id }) => id));
  const kept = records.filter((record) => record.kept !== undefined && undone.has(record.id));
  return [
    ...(delivery === null ? [] : deliveryNotes(delivery, isolation.trees.run)),
    ...kept.map(
      ({ id }) =>
        `task ${id} did not land; its work is kept: git show ${runRef(isolation.trees.run, "task", taskRefName(id))}`,
    ),
    ...records.flatMap(({ id, notLanded = [] }) =>
      notLanded.map(
        ({ file, why, kept: where }) =>
          `task ${id} changed ${file}, which does not land: ${why}${where === null ? "" : `; kept: ${where}`}`,
      ),
    ),
  ];
}

const maxListedFiles = 10;

function deliveryNotes({ target, files, ref, blocked, problem }: Delivery, run: string): readonly string[] {
  if (target === "tree") return [`${files === 1 ? "1 file" : `${files} files`} changed in your folder`];
  if (target === "none") return [`the work is not in your folder; it is kept under ${ref}: atomic land ${run}`];
  if (problem !== null) return [`the work is on the branch ${ref}, not in your folder: ${problem}`];
  if (blocked.length === 0) return [`the work is on the branch ${ref}`];
  const more = blocked.length > maxListedFiles ? [`  and ${blocked.length - maxListedFiles} more`] : [];
  return [
    `the work is on the branch ${ref}, not in your folder: you changed these files meanwhile`,
    ...blocked.slice(0, maxListedFiles).map((file) => `  ${file}`),
    ...more,
    `  put them aside (git stash) and run: atomic land ${run}`,
  ];
}
