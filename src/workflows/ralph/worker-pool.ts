// Runs a list of tasks: all that are ready at the same time, up to a limit. A task is done when its worker's turn
// completed and every check passed; otherwise it goes back with what the check printed, a bounded number of times; then
// it has failed, what depends on it is blocked, and the rest continues.
//
// Each turn and each round of checks is a separate recorded step. A task's status is announced in the same record as
// the step it follows from: a resumed run says nothing twice, and nothing that did not happen.

import type { Json } from "../../lib/json.ts";
import { ReadyQueue } from "../../tasks/ready-queue.ts";
import { withBlocked } from "../../tasks/task-order.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import type { AgentCallContext } from "../graph/model/bridge.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { type Check, hasPassed, runChecks, verified } from "../checks/check.ts";
import { checkPlace } from "./check-place.ts";
import { ListWriter } from "./list-writer.ts";
import { Landings, type WorkFolder } from "./landing.ts";
import { type Siblings, workPrompt } from "./prompts.ts";
import { QuietTime } from "./quiet-time.ts";
import { fixRound, type RalphState, type TaskRecord } from "./state.ts";
import { partContext } from "../../nodes/part-context.ts";
import { nextStart, recordOf, type TaskTry, type TriedTurn, type Verdict, verdictOf } from "./task-try.ts";
import { treeHash } from "../checks/tree-hash.ts";

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
  readonly #ready: ReadyQueue;
  readonly #records = new Map<string, TaskRecord>();
  /** The tasks that workers are at. */
  readonly #working = new Set<string>();
  /** Which worker has which task: the lowest number that is free. */
  readonly #places = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  /** Why the pool can't continue: the run stops, or a problem concerns more than one task. */
  #failed: { readonly error: unknown } | undefined;
  readonly #quiet = new QuietTime();
  /** Set where each worker has a separate folder. */
  readonly #landings: Landings | undefined;
  readonly #list: ListWriter | undefined;

  constructor(context: ExecutionContext<RalphState>) {
    this.#context = context;
    this.#state = context.state;
    this.#tasks = new Map(context.state.tasks.map((task) => [task.id, task]));
    this.#ready = new ReadyQueue(context.state.tasks);
    this.#list = listWriterOf(context);
    const { isolation } = context.state;
    this.#landings = isolation?.mode === "trees" ? new Landings(context, isolation) : undefined;
  }

  async run(): Promise<PoolResult> {
    await this.#landings?.recover(this.#all().filter(({ status }) => status !== "completed"));
    for (;;) {
      if (this.#failed === undefined) this.#startReady();
      if (this.#running.size === 0) break;
      this.#prepareNext();
      // None is left behind: when one fails for good the run stops, and the others end through its signal.
      await Promise.race(this.#running);
    }
    await this.#landings?.settled();
    this.#list?.flush();
    if (this.#failed !== undefined) throw this.#failed.error;
    for (const task of withBlocked(this.#all())) {
      if (task.status === "blocked") this.#announce(this.#change(task.id, { status: "blocked" }));
    }
    return { tasks: this.#all(), records: [...this.#records.values()] };
  }

  #all(): WorkflowTask[] {
    return [...this.#tasks.values()];
  }

  #startReady(): void {
    while (this.#running.size < this.#state.settings.workers) {
      const task = this.#ready.take();
      if (task === undefined) return;
      const running = this.#runTask(task)
        .catch((error: unknown) => void (this.#failed ??= { error }))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** A worker that has nothing to do yet finds its folder made when its task is ready. */
  #prepareNext(): void {
    const free = this.#state.settings.workers - this.#running.size;
    if (free === 0 || this.#landings === undefined || this.#failed !== undefined) return;
    const waiting = this.#all().filter(({ status }) => status === "pending").length;
    const spare = Math.min(free, waiting);
    if (spare > 0) this.#landings.makeAhead(this.#running.size + spare);
  }

  #change(id: string, change: Partial<WorkflowTask>): WorkflowTask {
    const task = { ...(this.#tasks.get(id) as WorkflowTask), ...change };
    this.#tasks.set(id, task);
    return task;
  }

  #announce(task: WorkflowTask): void {
    this.#context.record({ type: "task.updated", task });
  }

  async #runTask(task: WorkflowTask): Promise<void> {
    const tries: TaskTry[] = [];
    let verdict: Verdict | undefined;
    this.#working.add(task.id);
    this.#places.set(task.id, freePlace(this.#places));
    while (verdict === undefined) {
      this.#change(task.id, { status: "in_progress" });
      tries.push(await this.#try(task, tries));
      verdict = verdictOf(tries, this.#state.settings);
      const record = recordOf(task.id, tries);
      this.#records.set(task.id, verdict?.isStuck === true ? { ...record, isStuck: true } : record);
    }
    const { isStuck: _, ...outcome } = verdict;
    await this.#landings?.done(task);
    this.#working.delete(task.id);
    this.#places.delete(task.id);
    const ended = this.#change(task.id, outcome);
    this.#list?.ended(ended);
    if (verdict.status === "completed") this.#ready.complete(task.id);
  }

  #try(task: WorkflowTask, earlier: readonly TaskTry[]): Promise<TaskTry> {
    const name = `task ${task.id} try ${earlier.length + 1}`;
    return this.#landings === undefined
      ? this.#tryShared(task, earlier, name)
      : this.#tryAlone(task, earlier, name, this.#landings);
  }

  /** In a separate tree: committed, merged with what has landed, checked there, and landed. */
  async #tryAlone(task: WorkflowTask, earlier: readonly TaskTry[], name: string, landings: Landings): Promise<TaskTry> {
    const start = nextStart(await landings.firstStart(task), earlier);
    const turn: TriedTurn = await this.#context.step(name, async () => {
      const folder = await landings.folderFor(task, start);
      const turn = await this.#takeTurn(task, earlier, name, folder);
      const taken = await landings.take(task, start, earlier.at(-1)?.landing?.files ?? []);
      const isDone = turn.isDone && taken.commit !== null && taken.problem === null;
      const ended = { ...turn, isDone, error: turn.error ?? taken.problem, tree: taken.tree, taken };
      if (!isDone) this.#announceVerdict(task, [...earlier, { ...ended, checks: [] }]);
      return ended;
    });
    const { commit = null, at = 0 } = turn.taken ?? {};
    if (!turn.isDone || commit === null) return { ...turn, checks: [] };
    const { landing, checks } = await landings.land(
      task,
      { name, commit, at, start },
      this.#commandsFor(task),
      (ended, seen) => this.#announceVerdict(task, [...earlier, { ...turn, checks: seen, landing: ended }]),
    );
    return { ...turn, checks, landing };
  }

  async #tryShared(task: WorkflowTask, earlier: readonly TaskTry[], name: string): Promise<TaskTry> {
    const commands = this.#commandsFor(task);
    const turn: TriedTurn = await this.#context.step(name, async () => {
      const taken = await this.#quiet.work(() => this.#takeTurn(task, earlier, name));
      if (!taken.isDone || commands.length === 0) this.#announceVerdict(task, [...earlier, { ...taken, checks: [] }]);
      return taken;
    });
    if (!turn.isDone || commands.length === 0) return { ...turn, checks: [] };
    const checks: readonly Check[] = await this.#context.step(`${name} checks`, async () => {
      const seen = await this.#check(task, commands);
      this.#announceVerdict(task, [...earlier, { ...turn, checks: seen }]);
      return seen;
    });
    return { ...turn, checks };
  }

  /** Stored together with the step that it follows from. */
  #announceVerdict(task: WorkflowTask, tries: readonly TaskTry[]): void {
    const verdict = verdictOf(tries, this.#state.settings);
    if (verdict === undefined) return;
    const { isStuck: _, ...outcome } = verdict;
    this.#announce({ ...task, ...outcome });
  }

  async #takeTurn(
    task: WorkflowTask,
    earlier: readonly TaskTry[],
    name: string,
    folder?: WorkFolder,
  ): Promise<TriedTurn> {
    const context = this.#announcing(task, partContext(this.#context, name));
    // What an earlier process did in a folder that is gone has to be done again.
    const attempt = folder?.isNew === true ? { ...context.attempt, previousNotes: [] } : context.attempt;
    const result = await bridgeOf(this.#context).spawn(
      {
        agent: "atomic:worker",
        task: workPrompt(task, this.#state.prompt, this.#siblingsOf(task), earlier.at(-1)),
        cwd: folder?.cwd,
        taskId: task.id,
        worker: this.#places.get(task.id),
        iteration: `${this.#context.key} ${task.id} ${earlier.length + 1}`,
        context: { ...context, attempt },
        isOnlyTurn: true,
        // In a folder of its own, the work is committed first.
        endsItsStep: folder === undefined,
      },
      this.#context.signal,
    );
    const { success, output, error, usage } = result;
    // What came to its end is kept, also when the run stops meanwhile.
    if (!success) this.#context.signal.throwIfAborted();
    return {
      isDone: success,
      error: success ? null : (error ?? "the turn failed"),
      summary: shortened(output),
      costUsd: usage?.costUsd ?? null,
      tree: success || folder !== undefined ? null : await treeHash(this.#state.cwd),
    };
  }

  #siblingsOf(task: WorkflowTask): Siblings {
    const near = [...(task.blockedBy ?? []), ...this.#working].flatMap((id) => this.#tasks.get(id) ?? []);
    const isApart = this.#landings !== undefined;
    return { near, all: this.#tasks.values(), total: this.#tasks.size, isApart };
  }

  /** A task is in progress once the run's limits let its worker start, and before it does: when its session is noted. */
  #announcing(task: WorkflowTask, context: AgentCallContext): AgentCallContext {
    let isAnnounced = false;
    const note = (noted: Json): Promise<void> => {
      if (!isAnnounced) this.#announce({ ...task, status: "in_progress" });
      isAnnounced = true;
      return context.attempt.note(noted);
    };
    // Who waits for an answer writes nothing: checks that need quiet need not wait for it.
    const { ask: askPerson } = context;
    const ask: AgentCallContext["ask"] = (question) => this.#quiet.rest(() => askPerson(question));
    return { ...context, ask, attempt: { ...context.attempt, note } };
  }

  /** A check may fail because another worker writes: a failure counts only while none does. */
  async #check(task: WorkflowTask, commands: readonly string[]): Promise<readonly Check[]> {
    const run = (): Promise<Check[]> => runChecks(commands, checkPlace(this.#context, task.id));
    let checks = await run();
    if (!checks.every(hasPassed) && this.#quiet.isAnybodyWorking) checks = await this.#quiet.inQuiet(run);
    for (const check of checks) this.#context.record(verified(check, task.id));
    return checks;
  }

  /** A fix must pass what everything else had to pass: it changes work that was done before. */
  #commandsFor(task: WorkflowTask): readonly string[] {
    const checked = fixRound(task) === undefined ? [task] : this.#all();
    return [...new Set([...this.#state.settings.verify, ...checked.flatMap(({ verify }) => verify ?? [])])];
  }
}

/** Undefined where the list is to stay as it is. */
function listWriterOf(context: ExecutionContext<RalphState>): ListWriter | undefined {
  const { source = null, settings } = context.state;
  if (settings.writeBack !== true || source === null) return undefined;
  const onProblem = (problem: string): void => context.record({ type: "write-back.failed", file: source, problem });
  return new ListWriter({ path: source, clock: context.runtime.clock, onProblem });
}

function freePlace(taken: ReadonlyMap<string, number>): number {
  const numbers = [...taken.values()];
  for (let place = 1; ; place++) if (!numbers.includes(place)) return place;
}

const keptSummary = 2000;

function shortened(text: string): string {
  return text.length > keptSummary ? `${text.slice(0, keptSummary)}…` : text;
}
