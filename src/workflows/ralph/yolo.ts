// No task list: the same prompt in a fresh context each time, until the agent says it is complete and every check
// agrees. The agent's claim alone is not enough, and it counts only as the last line of its last message.
// One visit of the node is one iteration; the state holds the last one only, so that a long run stays small.

import { turnFailed } from "../../nodes/agent-turn.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { type Check, hasPassed, howItEnded, runChecks, verified } from "../checks/check.ts";
import { checkPlace } from "./check-place.ts";
import { completionWord, yoloPrompt } from "./prompts.ts";
import { addCost, type RalphState, type YoloLoop } from "./state.ts";
import { noteStuck, stuckPause, wasStuck } from "./stuck.ts";
import { partContext } from "../../nodes/part-context.ts";
import { withoutNumbers } from "./task-try.ts";
import { treeHash } from "../checks/tree-hash.ts";

/** A type and not an interface: it goes into the record as JSON. */
type YoloTurn = {
  readonly isSaidComplete: boolean;
  readonly output: string;
  readonly costUsd: number | null;
};

export async function yolo(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { cwd, settings, loop: last } = context.state;
  const number = (last?.iterations ?? 0) + 1;
  const turn: YoloTurn = await context.step(`iteration ${number}`, () => takeTurn(context, number));
  const checks = turn.isSaidComplete ? await runChecks(settings.verify, checkPlace(context, "yolo")) : [];
  for (const check of checks) context.record(verified(check, "yolo"));
  const { isSaidComplete, output, costUsd } = turn;
  const isDone = isSaidComplete && checks.every(hasPassed);
  // The iteration limit belongs to the run: it pauses the run, and the next resume continues counting.
  const tree = isDone || settings.maxStuck === 0 ? null : await treeHash(cwd);
  const now = { isDone, output, checks, tree };
  const loop: YoloLoop = {
    ...now,
    iterations: number,
    costUsd: addCost(last?.costUsd ?? 0, costUsd),
    same: last !== null && isSame(last, now) ? last.same + 1 : 1,
  };
  if (isDone || settings.maxStuck === 0 || loop.same <= settings.maxStuck) return { stateUpdate: { loop } };
  // A user who resumes a stuck run wants it to continue: it gets as many rounds again.
  if (wasStuck(context)) return { stateUpdate: { loop: { ...loop, same: 1 } } };
  await noteStuck(context);
  throw stuckPause(stuckText(loop, settings.maxStuck));
}

async function takeTurn(context: ExecutionContext<RalphState>, number: number): Promise<YoloTurn> {
  const { prompt, loop } = context.state;
  const failed = (loop?.checks ?? []).filter((check) => !hasPassed(check));
  const call = {
    task: yoloPrompt(prompt, number, failed),
    taskId: "yolo",
    iteration: `${context.key} ${number}`,
    context: partContext(context, `iteration ${number}`),
    isOnlyTurn: true,
  };
  const result = await bridgeOf(context).spawn(call, context.signal);
  // A finished turn is kept, even if the run stops meanwhile.
  if (!result.success) context.signal.throwIfAborted();
  if (!result.success && result.failure?.retryable !== true) throw turnFailed(undefined, result);
  // A turn that failed and may succeed is an iteration that did not complete: the next one continues from what is
  // there.
  const output = (result.success ? result.output : (result.error ?? result.output)).slice(-keptChars);
  const isSaidComplete = result.success && lastLine(result.output) === completionWord;
  return { isSaidComplete, output, costUsd: result.usage?.costUsd ?? null };
}

const keptChars = 4000;

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

function isSame(a: YoloLoop, b: Pick<YoloLoop, "tree" | "output" | "checks">): boolean {
  return a.tree !== null && a.tree === b.tree && printOf(a) === printOf(b);
}

/** Numbers count in what the agent says: "10 of 100" and "20 of 100" are progress. */
function printOf({ output, checks }: { readonly output: string; readonly checks: readonly Check[] }): string {
  const seen = checks.map((check) => [check.command, check.exitCode, withoutNumbers(check.output)]);
  return JSON.stringify([output, seen]);
}

function stuckText({ same, output, checks }: YoloLoop, maxStuck: number): string {
  const failed = checks.find((check) => !hasPassed(check));
  const last = failed === undefined ? output : `${completionWord}, but \`${failed.command}\` ${howItEnded(failed)}`;
  return `Stuck: the last ${same} iterations changed no file but ignored ones and said the same (${shortened(last)}). Resume it for up to ${maxStuck} more, or start a new run with another prompt or a higher --max-stuck`;
}

function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
