// Makes a work tree's record in the repository, without its files. While git writes such a record, no other git can list
// the work trees: it finds a file that is still empty, and gives up. So this process makes one record at a time, which
// takes milliseconds, and waits a moment when another process makes one.

import { createSemaphore, type Semaphore } from "../../agents/semaphore.ts";
import { must, type RunRepository, treeError } from "./run-repository.ts";
import { lockReason } from "./tree-records.ts";

const queues = new Map<string, Semaphore>();
const isHalfWritten = /failed to read .*\/worktrees\/.*\/(?:commondir|gitdir|HEAD)/;
const mostTries = 50;
const pauseMs = 20;

export async function addWorktree(repository: RunRepository, folder: string, commit: string): Promise<void> {
  const { git, run, commonDir } = repository;
  const queue = queues.get(commonDir) ?? createSemaphore(1);
  queues.set(commonDir, queue);
  const reason = ["--lock", "--reason", lockReason(run)];
  const args = ["worktree", "add", "--detach", "--quiet", "--no-checkout", ...reason, folder, commit];
  await queue.run(async () => {
    for (let number = 1; number < mostTries; number++) {
      const { ok, stderr } = await git.run(args);
      if (ok) return;
      if (!isHalfWritten.test(stderr)) throw treeError(`git worktree add: ${stderr || "failed"}.`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await must(git, args);
  });
}
