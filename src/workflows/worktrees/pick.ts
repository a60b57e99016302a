// A part of a run's work, on top of what the user's folder holds: the changes of chosen tasks, one after the other. What
// they change is what their commit changes against its parent, as `git cherry-pick` sees it.

import { AtomicError } from "../../lib/errors.ts";
import { commitTree } from "./commit.ts";
import { mergeTrees } from "./merge.ts";
import { must, readRef, type RunRepository } from "./run-repository.ts";
import { taskRefName, worktreeName } from "./run-refs.ts";

/** Throws USAGE for a task that has no commit, or whose changes need those of another. */
export async function pickTasks(repository: RunRepository, onto: string, tasks: readonly string[]): Promise<string> {
  const landed = await landedTasks(repository);
  let at = onto;
  for (const task of tasks) {
    const commit =
      landed.get(task) ??
      (await readRef(repository, "task", taskRefName(task))) ??
      (await readRef(repository, "task", worktreeName(task)));
    if (commit === undefined)
      throw new AtomicError("USAGE", `Run ${repository.run} has no work of a task ${JSON.stringify(task)}.`);
    at = await pick(repository, at, task, commit);
  }
  return at;
}

async function pick(repository: RunRepository, onto: string, task: string, commit: string): Promise<string> {
  const { git } = repository;
  const tree = (of: string): Promise<string> => must(git, ["rev-parse", "--verify", `${of}^{tree}`]);
  // Two commits on a parent with the task's own start: git then merges exactly the task's changes.
  const facts = { message: "", at: 0 };
  const start = await commitTree(git, { ...facts, tree: await tree(`${commit}^`) });
  const ours = await commitTree(git, { ...facts, tree: await tree(onto), parent: start });
  const theirs = await commitTree(git, { ...facts, tree: await tree(commit), parent: start });
  const merged = await mergeTrees(repository, ours, theirs);
  if (merged.files.length > 0 || merged.messages.length > 0)
    throw new AtomicError(
      "USAGE",
      `Task ${task} can't be delivered without others: its changes conflict in ${merged.files.join(", ")}. Name the tasks it builds on first, or deliver all.`,
    );
  const [seconds = "0", ...message] = (await must(git, ["log", "-1", "--format=%ct%n%B", commit])).split("\n");
  return commitTree(git, { tree: merged.tree, parent: onto, message: message.join("\n"), at: Number(seconds) * 1000 });
}

/** The commits in the run's head, by the task that their trailer names. */
async function landedTasks({ git, run, base }: RunRepository): Promise<ReadonlyMap<string, string>> {
  const format = "--format=%H %(trailers:key=Atomic-Task,valueonly,separator=%x20)";
  const log = await must(git, ["log", "--first-parent", format, `${base}..refs/atomic/run/${run}/head`]);
  return new Map(
    log.split("\n").flatMap((line) => {
      const space = line.indexOf(" ");
      return space === -1 ? [] : [[line.slice(space + 1), line.slice(0, space)] as const];
    }),
  );
}
