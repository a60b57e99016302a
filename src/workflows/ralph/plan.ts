// The planner's node: from what the user asked for to tasks with dependencies. An answer that can't be used is
// returned to the planner with its faults, a set number of times.

import { AtomicError } from "../../lib/errors.ts";
import { turnFailed } from "../../nodes/agent-turn.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { keepArtifact, planText } from "./artifacts.ts";
import { type FoundAnswer, answerOf } from "./find-json.ts";
import { parsePlan } from "./parse-answers.ts";
import { planPrompt } from "./prompts.ts";
import { makeTreesAhead } from "../worktrees/trees-ahead.ts";
import { openForTrees } from "./set-up.ts";
import type { RalphState } from "./state.ts";
import { partContext } from "../../nodes/part-context.ts";

const maxTries = 3;

export async function plan(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { isolation, settings } = context.state;
  if (isolation?.mode !== "trees") return makePlan(context);
  // The planner takes longer than the folders of its workers, mostly.
  const [planned, made] = await Promise.allSettled([
    makePlan(context),
    openForTrees(context, isolation).then((repository) => makeTreesAhead(repository, settings.workers)),
  ]);
  if (planned.status === "rejected") throw planned.reason;
  if (made.status === "rejected") throw made.reason;
  return planned.value;
}

async function makePlan(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  let problem: string | undefined;
  // A resumed run that failed here asks again; what was answered before is on record.
  const most = maxTries * (1 + context.attempt.failedRuns);
  for (let number = 1; number <= most; number++) {
    const previousProblem = problem;
    const answer: FoundAnswer = await context.step(`plan ${number}`, async () => {
      const call = {
        agent: "atomic:planner",
        task: planPrompt(context.state.prompt, previousProblem),
        context: partContext(context, `plan ${number}`),
        isOnlyTurn: true,
      };
      const result = await bridgeOf(context).spawn(call, context.signal);
      if (!result.success) context.signal.throwIfAborted();
      if (!result.success) throw turnFailed("atomic:planner", result);
      return answerOf(result.output);
    });
    const parsed = parsePlan(answer);
    if ("value" in parsed) {
      keepArtifact(context.state, "plan.md", planText(parsed.value));
      for (const task of parsed.value) context.record({ type: "task.updated", task });
      return { stateUpdate: { tasks: [...parsed.value] } };
    }
    ({ problem } = parsed);
  }
  throw new AtomicError(
    "PLAN_INVALID",
    `The planner gave no usable plan in ${most} tries. The last problem: ${problem ?? "none"}. Try a clearer prompt, or give the tasks yourself with --feature-list.`,
  );
}
