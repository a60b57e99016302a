// The node that works on the tasks. If all of them were done before, this node runs the user's checks itself.

import { AtomicError } from "../../lib/errors.ts";
import { type Check, hasPassed, howItEnded, runChecks, verified } from "../checks/check.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { checkPlace } from "./check-place.ts";
import type { RalphState } from "./state.ts";
import { runPool } from "./worker-pool.ts";

export async function work(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { tasks, records } = await runPool(context);
  if (records.length === 0 && context.state.records.length === 0) await verifyFinished(context, tasks.length);
  return { stateUpdate: { tasks: [...tasks], records: [...records] } };
}

async function verifyFinished(context: ExecutionContext<RalphState>, total: number): Promise<void> {
  const { settings } = context.state;
  await context.step("checks", async (): Promise<readonly Check[]> => {
    const seen = await runChecks(settings.verify, checkPlace(context, null));
    for (const check of seen) context.record(verified(check, null));
    const failed = seen.find((check) => !hasPassed(check));
    if (failed === undefined) return seen;
    // Thrown inside the step, which is not recorded then: a resumed run checks again.
    const tasks = total === 1 ? "The only task was" : `All ${total} tasks were`;
    throw new AtomicError("WORK_INCOMPLETE", `${tasks} done already, but \`${failed.command}\` ${howItEnded(failed)}.`);
  });
}
