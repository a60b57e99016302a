// No task list: the same prompt in a fresh context each time, until the agent says it is complete and every check
// agrees. The agent's word alone is not enough, and its word is the last line of its last message, nothing else.

import { AtomicError } from "../../lib/errors.ts";
import { turnFailed } from "../../nodes/agent-turn.ts";
import type { ExecutionContext, NodeResult } from "../graph/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { type Check, hasPassed, runChecks } from "./check.ts";
import { completionWord, yoloPrompt } from "./prompts.ts";
import type { RalphState, TaskRecord } from "./state.ts";
import { taskContext } from "./task-context.ts";
import { treeHash } from "./tree-hash.ts";

type Iteration = {
  readonly isSaidComplete: boolean;
  readonly output: string;
  readonly checks: readonly Check[];
  readonly costUsd: number | null;
  readonly tree: string;
};

export async function yolo(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { maxStuck } = context.state.settings;
  let last: Iteration | undefined;
  let cost: number | null = 0;
  let stuck = 0;
  // The limit of iterations is the run's own: it pauses the run, and the next resume goes on counting.
  for (let number = 1; ; number++) {
    const before = last;
    const now: Iteration = await context.step(`iteration ${number}`, () =>
      iterate(context, number, before?.checks ?? []),
    );
    cost = cost === null || now.costUsd === null ? null : cost + now.costUsd;
    if (now.isSaidComplete && now.checks.every(hasPassed)) {
      const { checks, output } = now;
      const record: TaskRecord = { id: "yolo", tries: number, checks, costUsd: cost, summary: output };
      return { stateUpdate: { records: [record] } };
    }
    stuck = before !== undefined && isSame(before, now) ? stuck + 1 : 0;
    if (maxStuck > 0 && stuck >= maxStuck) {
      throw new AtomicError(
        "WORK_INCOMPLETE",
        `Stuck: the last ${stuck + 1} iterations changed nothing in the folder and said the same. Change the prompt, or raise --max-stuck.`,
      );
    }
    last = now;
  }
}

async function iterate(
  context: ExecutionContext<RalphState>,
  number: number,
  failed: readonly Check[],
): Promise<Iteration> {
  const { prompt, cwd, sessionDir, settings } = context.state;
  const call = {
    task: yoloPrompt(
      prompt,
      number,
      failed.filter((check) => !hasPassed(check)),
    ),
    taskId: "yolo",
    iteration: `${context.key} ${number}`,
    context: taskContext(context, `iteration ${number}`),
  };
  const result = await bridgeOf(context).spawn(call, context.signal);
  context.signal.throwIfAborted();
  if (!result.success) throw turnFailed(undefined, result);
  const isSaidComplete = lastLine(result.output) === completionWord;
  const place = { cwd, sessionDir, clock: context.runtime.clock, signal: context.signal };
  const checks = isSaidComplete ? await runChecks(settings.verify, place) : [];
  for (const { command, exitCode, tree } of checks)
    context.emit("verify.finished", { command, exitCode, task: "yolo", tree });
  const output = result.output.slice(-4000);
  return { isSaidComplete, output, checks, costUsd: result.usage?.costUsd ?? null, tree: await treeHash(cwd) };
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

function isSame(a: Iteration, b: Iteration): boolean {
  return a.tree === b.tree && a.output === b.output;
}
