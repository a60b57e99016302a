// `--write-back`: how tasks ended goes into the list they came from, as they end. A long list is not rewritten for
// every task: the time spent on it stays a small part of the run's. What a killed run left out, the next one writes.

import type { Clock } from "../../lib/clock.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { writeBack } from "../../tasks/write-back.ts";
import type { TaskEnd } from "../../tasks/edit-statuses.ts";

/** After a write, nothing is written for this many times as long as it took. */
const costFactor = 20;

export interface ListWriterOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Called once for each reason. */
  readonly onProblem: (problem: string) => void;
}

export class ListWriter {
  readonly #options: ListWriterOptions;
  #waiting = new Map<string, TaskEnd>();
  #reported: string | undefined;
  #nextAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ListWriterOptions) {
    this.#options = options;
  }

  ended(task: WorkflowTask): void {
    for (const end of endsOf([task])) this.#waiting.set(end.id, end);
    const waitMs = this.#nextAt - this.#options.clock.now();
    if (waitMs <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitMs).unref();
  }

  /** Writes what is pending; what can't be written stays pending. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    const { path, clock, onProblem } = this.#options;
    const began = clock.now();
    const problem = writeBack(path, [...this.#waiting.values()], new Date(began));
    this.#nextAt = clock.now() + (clock.now() - began) * costFactor;
    if (problem === undefined) this.#waiting = new Map();
    else if (problem !== this.#reported) onProblem(problem);
    this.#reported = problem;
  }
}

/** Of those that have ended; a skipped one was the user's decision. */
export function endsOf(tasks: readonly WorkflowTask[]): readonly TaskEnd[] {
  return tasks.flatMap(({ id, title, status, error, isSkipped }) =>
    (status === "completed" || status === "failed") && isSkipped !== true ? [{ id, title, status, error }] : [],
  );
}
