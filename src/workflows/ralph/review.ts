// The reviewer's node, and the one that turns its findings into tasks.

import { turnFailed } from "../../nodes/agent-turn.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { readHead } from "../worktrees/run-repository.ts";
import { ensureTree } from "../worktrees/work-tree.ts";
import { keepArtifact, reviewText } from "./artifacts.ts";
import { answerOf } from "./find-json.ts";
import { folderIn } from "./isolation.ts";
import { findingsThatMatter, parseReview, rawReview } from "./parse-answers.ts";
import { fixDescription, reviewPrompt } from "./prompts.ts";
import { openForTrees } from "./set-up.ts";
import type { RalphState, ReviewRecord } from "./state.ts";
import { partContext } from "../../nodes/part-context.ts";

const maxTries = 2;

/**
 * Where workers had separate folders, so has the reviewer: all that has landed, as changes to what was there before.
 */
async function reviewFolder(context: ExecutionContext<RalphState>): Promise<string | undefined> {
  const { isolation } = context.state;
  if (isolation?.mode !== "trees") return undefined;
  const repository = await openForTrees(context, isolation);
  const content = await readHead(repository);
  return folderIn(await ensureTree(repository, reviewTree, { content, head: isolation.trees.base }), isolation);
}

/** No task's name starts with this. The next node removes it. */
const reviewTree = "_review";

export async function review(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { prompt, tasks, records, reviews } = context.state;
  const round = reviews.length + 1;
  const cwd = await reviewFolder(context);
  let problem: string | undefined;
  let answer = answerOf("");
  for (let number = 1; number <= maxTries; number++) {
    const previousProblem = problem;
    answer = await context.step(`review ${round}.${number}`, async () => {
      const task = reviewPrompt(prompt, tasks, records, reviews, previousProblem);
      const call = {
        agent: "atomic:reviewer",
        task,
        cwd,
        context: partContext(context, `review ${round}.${number}`),
        isOnlyTurn: true,
      };
      const result = await bridgeOf(context).spawn(call, context.signal);
      if (!result.success) context.signal.throwIfAborted();
      if (!result.success) throw turnFailed("atomic:reviewer", result);
      return answerOf(result.output);
    });
    const parsed = parseReview(answer);
    if ("value" in parsed) return finished(context, { round, ...parsed.value });
    ({ problem } = parsed);
  }
  return finished(context, { round, ...rawReview(answer) });
}

function finished(context: ExecutionContext<RalphState>, record: ReviewRecord): NodeResult<RalphState> {
  const { round, verdict, findings } = record;
  keepArtifact(context.state, `review-${round}.md`, reviewText(record));
  context.record({ type: "review.finished", round, verdict, findings });
  return { stateUpdate: { reviews: [record] } };
}

/** Is there something to fix, and may it still be fixed? */
export function needsFix(state: Readonly<RalphState>): boolean {
  const last = state.reviews[state.reviews.length - 1];
  return last !== undefined && findingsThatMatter(last.findings).length > 0;
}

/** Reviews come only after work that this run did, and only this many of them. */
export function wantsReview(state: Readonly<RalphState>): boolean {
  const { maxReviews } = state.settings;
  const worked = new Set(state.records.map((record) => record.id));
  return (
    state.reviews.length < maxReviews && state.tasks.some((task) => task.status === "completed" && worked.has(task.id))
  );
}

/** The user's own tasks may have such names. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  return taken.has(id) ? freeId(`${id}-again`, taken) : id;
}

export function planFixes(context: ExecutionContext<RalphState>): NodeResult<RalphState> {
  const last = context.state.reviews[context.state.reviews.length - 1];
  const round = last?.round ?? 0;
  const taken = new Set(context.state.tasks.map((task) => task.id));
  const tasks = findingsThatMatter(last?.findings ?? []).map((finding, i): WorkflowTask => ({
    id: freeId(`fix-${round}-${i + 1}`, taken),
    title: finding.title,
    description: fixDescription(finding),
    status: "pending",
    metadata: { fixes: round },
  }));
  for (const task of tasks) context.record({ type: "task.updated", task });
  return { stateUpdate: { tasks } };
}
