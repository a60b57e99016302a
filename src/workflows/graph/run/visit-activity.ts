// Whether the body of one attempt is working, or only waits for answers. A run suspends when all of its bodies only
// wait; so a step that still runs while a question is open keeps the run active until its result is on record.

import { canFollowCalls, runInScope, scopeOfCaller, type StepOwner, type StepScope } from "./step-scope.ts";

export class VisitActivity {
  readonly #visit: object;
  readonly #control: { activate(): void; deactivate(): void };
  readonly #steps = new Set<StepScope>();
  /** Settle, each, when a step is over. They never reject. */
  readonly #inFlight = new Set<Promise<void>>();
  /** Questions and subgraphs it waits for. */
  #waits = 0;
  /** Those of which it is not known whether a step waits for them. */
  #unknownWaits = 0;
  /** Sleeps that will end by themselves. */
  #sleeps = 0;
  #isResting = false;
  #isOver = false;
  /** A step began in the current synchronous stretch of code. */
  #hasJustBegun = false;

  constructor(visit: object, control: { activate(): void; deactivate(): void }) {
    this.#visit = visit;
    this.#control = control;
  }

  get hasWaits(): boolean {
    return this.#waits > 0;
  }

  /** The step that the caller is in, if it is one of this visit and still runs. */
  currentStep(): StepScope | undefined {
    for (let scope = scopeOfCaller(); scope !== undefined; scope = scope.parent)
      if (scope.visit === this.#visit && scope.isRunning) return scope;
    return undefined;
  }

  /**
   * The waiter for what the caller is about to begin. `captured`: the step in which the caller got the context.
   */
  ownerOfCall(captured?: StepScope): StepOwner {
    if (captured?.isRunning === true) return captured;
    const step = this.currentStep();
    if (step !== undefined) return step;
    if (this.#steps.size === 0) return "beside";
    // A callback that an earlier step left behind, for example one that reads what a child process writes.
    if (canFollowCalls()) return scopeOfCaller()?.visit === this.#visit ? "unknown" : "beside";
    return this.#hasJustBegun ? "beside" : "unknown";
  }

  /** Runs the body of a step and counts it as active until it is over. */
  async runStep<T>(body: () => Promise<T>): Promise<T> {
    const scope: StepScope = { visit: this.#visit, parent: this.currentStep(), isRunning: true, waits: 0 };
    this.#noteBegin();
    this.#steps.add(scope);
    const running = runInScope(scope, body);
    const leave = (): void => void this.#inFlight.delete(over);
    const over: Promise<void> = running.then(leave, leave);
    this.#inFlight.add(over);
    this.#update();
    try {
      return await running;
    } finally {
      this.#endStep(scope);
    }
  }

  #noteBegin(): void {
    if (canFollowCalls()) return;
    this.#hasJustBegun = true;
    queueMicrotask(() => {
      this.#hasJustBegun = false;
    });
  }

  /** While a question is open, the body gets time to begin its next step before it counts as only waiting. */
  #endStep(scope: StepScope): void {
    const end = (): void => {
      scope.isRunning = false;
      this.#steps.delete(scope);
      this.#update();
    };
    if (this.#waits === 0) end();
    else setTimeout(end, 0);
  }

  /** What the caller is about to begin and to wait for. */
  waitFor(): { beginWait(): void; endWait(): void } {
    const owner = this.ownerOfCall();
    return { beginWait: () => this.beginWait(owner), endWait: () => this.endWait(owner) };
  }

  beginWait(owner: StepOwner): void {
    this.#changeWaits(owner, 1);
  }

  endWait(owner: StepOwner): void {
    this.#changeWaits(owner, -1);
  }

  #changeWaits(owner: StepOwner, by: 1 | -1): void {
    this.#waits += by;
    if (owner === "unknown") this.#unknownWaits += by;
    else if (owner !== "beside")
      for (let at: StepScope | undefined = owner; at !== undefined; at = at.parent) at.waits += by;
    this.#update();
  }

  /** Counts as active until the sleep is over. */
  async runSleep(sleep: Promise<void>): Promise<void> {
    this.#sleeps++;
    this.#update();
    try {
      await sleep;
    } finally {
      // The body gets time to continue before it counts as only waiting for an answer.
      setTimeout(() => {
        this.#sleeps--;
        this.#update();
      }, 0);
    }
  }

  #update(): void {
    const isResting = this.#waits > 0 && this.#sleeps === 0 && this.#stepsAtWork() <= this.#unknownWaits;
    if (isResting === this.#isResting || this.#isOver) return;
    this.#isResting = isResting;
    if (isResting) this.#control.deactivate();
    else this.#control.activate();
  }

  #stepsAtWork(): number {
    let count = 0;
    for (const { waits } of this.#steps) if (waits === 0) count++;
    return count;
  }

  get hasSteps(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Resolves when every step that runs is over. */
  async whenStepsAreOver(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** The attempt is over. The walk that it was part of counts as active again, until it is over itself. */
  end(): void {
    if (this.#isResting) this.#control.activate();
    this.#isResting = false;
    this.#isOver = true;
  }
}
