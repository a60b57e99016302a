// The first node: says what is to be done, and keeps the user's uncommitted work safe before anybody touches it.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionContext, NodeResult } from "../graph/node.ts";
import { keepWork } from "./keep-work.ts";
import type { RalphState } from "./state.ts";
import { asJson } from "./worker-pool.ts";

export async function prepare(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { cwd, tasks, executionId, featureList, sessionDir } = context.state;
  if (featureList !== null) keepCopy(featureList, join(sessionDir, "feature-list.json"));
  for (const task of tasks) context.emit("task.updated", { task: asJson(task) });
  const { ref = null, files, note = null } = await keepWork(cwd, executionId);
  const kept = { ref, files, note };
  context.emit("work.kept", kept);
  return { stateUpdate: { kept } };
}

/** For people: the tasks themselves are in the run's state, whatever happens to the file. */
function keepCopy(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch {
    // Gone meanwhile; nothing is read from the copy.
  }
}
