// Works a list of tasks off: all that are ready at the same time, up to a limit, each try of each task a recorded step
// of its own. A task is done when its worker's turn completed and every check passed; otherwise it goes back with what
// the check printed, a bounded number of times; then it has failed, what depends on it is blocked, and the rest goes on.

import type { Json } from "../../lib/json.ts";
import { readyTasks, withBlocked } from "../../tasks/task-order.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import type { ExecutionContext } from "../graph/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { type Check, hasPassed, runChecks } from "./check.ts";
import { type FailedTry, workPrompt } from "./prompts.ts";
import { QuietTime } from "./quiet-time.ts";
import type { RalphState, TaskRecord } from "./state.ts";
import { taskContext } from "./task-context.ts";
import { treeHash } from "./tree-hash.ts";

/** What one try came to; recorded, so that a crash redoes only tries that were not through. */
type Try = {
  readonly isTurnDone: boolean;
  readonly error: string | null;
  readonly summary: string;
  readonly checks: readonly Check[];
  readonly costUsd: number | null;
  /** What the folder held before and after the worker's turn. */
  readonly before: string;
  readonly after: string;
};

export interface PoolResult {
  readonly tasks: readonly WorkflowTask[];
  readonly records: readonly TaskRecord[];
}

export async function runPool(context: ExecutionContext<RalphState>): Promise<PoolResult> {
  return new WorkerPool(context).run();
}

class WorkerPool {
  readonly #context: ExecutionContext<RalphState>;
  readonly #state: Readonly<RalphState>;
  readonly #tasks: Map<string, WorkflowTask>;
  readonly #records = new Map<string, TaskRecord>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #quiet = new QuietTime();

  constructor(context: ExecutionContext<RalphState>) {
    this.#context = context;
    this.#state = context.state;
    this.#tasks = new Map(context.state.tasks.map((task) => [task.id, task]));
  }

  async run(): Promise<PoolResult> {
    try {
      for (;;) {
        this.#startReady();
        if (this.#running.size === 0) break;
        await Promise.race(this.#running.values());
      }
    } finally {
      // One that failed for good (the run stops) ends the others through the signal; none is left behind.
      await Promise.allSettled(this.#running.values());
    }
    for (const task of withBlocked(this.#list()))
      if (task.status === "blocked") this.#update(task.id, { status: "blocked" });
    return { tasks: this.#list(), records: [...this.#records.values()] };
  }

  #list(): WorkflowTask[] {
    return [...this.#tasks.values()];
  }

  #startReady(): void {
    for (const task of readyTasks(this.#list())) {
      if (this.#running.size >= this.#state.settings.workers) return;
      this.#update(task.id, { status: "in_progress" });
      const running = this.#runTask(task).finally(() => this.#running.delete(task.id));
      // Its failure is heard by whoever races; one that is not raced any more must not be unheard of.
      running.catch(() => undefined);
      this.#running.set(task.id, running);
    }
  }

  #update(id: string, change: Partial<WorkflowTask>): void {
    const task = { ...(this.#tasks.get(id) as WorkflowTask), ...change };
    this.#tasks.set(id, task);
    this.#context.emit("task.updated", { task: asJson(task) });
  }

  async #runTask(task: WorkflowTask): Promise<void> {
    const { maxTries, maxStuck } = this.#state.settings;
    let last: Try | undefined;
    let cost: number | null = 0;
    let stuck = 0;
    for (let number = 1; number <= maxTries; number++) {
      const tried: Try = await this.#context.step(`task ${task.id} try ${number}`, () => this.#try(task, number, last));
      cost = cost === null || tried.costUsd === null ? null : cost + tried.costUsd;
      const { checks, summary } = tried;
      this.#records.set(task.id, { id: task.id, tries: number, checks, costUsd: cost, summary });
      if (isDone(tried)) return this.#update(task.id, { status: "completed" });
      stuck = isStuck(last, tried) ? stuck + 1 : 0;
      last = tried;
      if (maxStuck > 0 && stuck >= maxStuck) {
        return this.#fail(
          task,
          `stuck: ${stuck + 1} tries changed nothing in the folder and failed in the same way`,
          tried,
        );
      }
    }
    this.#fail(task, `not done after ${maxTries} ${maxTries === 1 ? "try" : "tries"}`, last);
  }

  #fail(task: WorkflowTask, why: string, last: Try | undefined): void {
    const failed = last?.checks.find((check) => !hasPassed(check));
    const reason =
      failed === undefined ? last?.error : `\`${failed.command}\` ends with ${failed.exitCode ?? "no exit code"}`;
    this.#update(task.id, {
      status: "failed",
      error: reason === undefined || reason === null ? why : `${why}: ${reason}`,
    });
  }

  async #try(task: WorkflowTask, number: number, last: Try | undefined): Promise<Try> {
    const { cwd } = this.#state;
    const before = await treeHash(cwd);
    const turn = await this.#quiet.work(() => this.#takeTurn(task, number, last));
    this.#context.signal.throwIfAborted();
    const after = await treeHash(cwd);
    if (!turn.success)
      return {
        isTurnDone: false,
        error: turn.error ?? "the turn failed",
        summary: turn.output,
        checks: [],
        costUsd: turn.costUsd,
        before,
        after,
      };
    const checks = await this.#check(task);
    return { isTurnDone: true, error: null, summary: turn.output, checks, costUsd: turn.costUsd, before, after };
  }

  async #takeTurn(task: WorkflowTask, number: number, last: Try | undefined) {
    const failed: FailedTry | undefined =
      last === undefined ? undefined : { error: last.error ?? undefined, checks: last.checks };
    const result = await bridgeOf(this.#context).spawn(
      {
        agent: "atomic:worker",
        task: workPrompt(task, this.#state.prompt, this.#list(), failed),
        taskId: task.id,
        iteration: `${this.#context.key} ${task.id} ${number}`,
        context: taskContext(this.#context, `task ${task.id}`),
      },
      this.#context.signal,
    );
    const { success, output, error, usage } = result;
    return { success, output: shortened(output), error, costUsd: usage?.costUsd ?? null };
  }

  /** A check that fails while somebody else writes may fail because of that: it counts only when nobody does. */
  async #check(task: WorkflowTask): Promise<readonly Check[]> {
    const commands = this.#commandsFor(task);
    if (commands.length === 0) return [];
    const run = (): Promise<Check[]> => runChecks(commands, this.#place());
    let checks = await run();
    if (!checks.every(hasPassed) && this.#quiet.isAnybodyWorking) checks = await this.#quiet.inQuiet(run);
    for (const { command, exitCode, tree } of checks) {
      this.#context.emit("verify.finished", { command, exitCode, task: task.id, tree });
    }
    return checks;
  }

  /** A fix must pass what everything else had to pass: it changes work that was done before. */
  #commandsFor(task: WorkflowTask): readonly string[] {
    const isFix = task.metadata?.["fixes"] !== undefined;
    const checked = isFix ? this.#list() : [task];
    return [...new Set([...this.#state.settings.verify, ...checked.flatMap(({ verify }) => verify ?? [])])];
  }

  #place() {
    const { cwd, sessionDir } = this.#state;
    return { cwd, sessionDir, clock: this.#context.runtime.clock, signal: this.#context.signal };
  }
}

function isDone(tried: Try): boolean {
  return tried.isTurnDone && tried.checks.every(hasPassed);
}

/** Nothing in the folder changed, and what came out is the same: another round would be the same again. */
function isStuck(last: Try | undefined, tried: Try): boolean {
  if (last === undefined || tried.before !== tried.after) return false;
  const print = ({ error, checks }: Try): string =>
    JSON.stringify([error, checks.map(({ command, exitCode, output }) => [command, exitCode, output])]);
  return print(last) === print(tried);
}

const keptSummary = 2000;

function shortened(text: string): string {
  return text.length > keptSummary ? `${text.slice(0, keptSummary)}…` : text;
}

export function asJson(task: WorkflowTask): Json {
  return JSON.parse(JSON.stringify(task)) as Json;
}
