// Walks tokens from node to node: runs bodies, settles their results, and moves on along edges. A walk ends where its
// token forks, waits for others or has nowhere to go. Forks, joins and ends are decided by others.
//
// The invariant that makes resume exact: a node's outcome is recorded, folded and turned into the next step without
// an await in between, so every stored event and every snapshot shows a state that the run really was in.

import type { Outcome } from "./attempts.ts";
import { admitResult, failedOnce } from "./attempts.ts";
import { EventLoopYield } from "./event-loop-yield.ts";
import { holds, passControl } from "./control-nodes.ts";
import type { BranchScheduler } from "../schedule/branch-scheduler.ts";
import type { GraphLimits } from "../schedule/limits.ts";
import { NodeContext } from "./node-context.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { RecordedOutcome } from "../record/recorded-outcome.ts";
import { isPromise } from "../../../lib/is-promise.ts";
import type { RunHost } from "./run-host.ts";
import type { Move } from "./settle.ts";
import { alongEdges, gotoTarget, settleOutcome, settleRecorded } from "./settle.ts";
import { reportStep } from "./report-step.ts";
import { StartQueue } from "../schedule/start-queue.ts";
import type { Fork, Token, Walk } from "../schedule/token.ts";

/** What walks need of the graph run that they are in. */
export interface WalkHost extends RunHost {
  /** What was recorded of the visit, or what happens now. */
  visit(token: Token, node: PlanNode): RecordedOutcome | Outcome | Promise<RecordedOutcome | Outcome>;
  /** The token has nowhere to go. */
  endBranch(token: Token): void;
  /** The token's branch failed, and its fork can do without it. */
  loseBranch(token: Token, fork: Fork, error: Error): void;
  isRecorded(token: Token, node: PlanNode): boolean;
  /** A walk threw. */
  failWalk(token: Token, thrown: unknown): void;
  /** A walk is over, or its token was dropped. */
  walkEnded(token: Token): void;
  /** Whatever is still unstored is stored together with the end of the run. */
  readonly isEndOfRun: boolean;
  /** What was recorded is not replayed to the end yet. */
  readonly isReplaying: boolean;
  readonly limits: GraphLimits;
  readonly scheduler: BranchScheduler;
}

export class Walks {
  readonly #run: WalkHost;
  readonly #yield: EventLoopYield;
  readonly #starts = new StartQueue<Token>((token) => this.#begin(token, token.walk as Walk));
  #count = 0;

  constructor(run: WalkHost) {
    this.#run = run;
    this.#yield = new EventLoopYield(run.control.runtime.clock);
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** Counts as a walk until `release`: while a run is being set up, it must not look as if nothing runs in it. */
  hold(): void {
    this.#count++;
  }

  release(): void {
    this.#count--;
  }

  start(token: Token): void {
    this.#run.control.activate();
    this.#count++;
    token.walk = { hasLeft: false };
    this.#starts.start(token);
  }

  /** The walk counts no longer, even if its body still runs. */
  leave(token: Token, walk: Walk): void {
    if (walk.hasLeft) return;
    walk.hasLeft = true;
    this.#count--;
    this.#run.walkEnded(token);
    this.#run.control.deactivate();
  }

  /** Forks and joins have no body: a token that only passes them is done at once. */
  #begin(token: Token, walk: Walk): void {
    try {
      if (this.#comeToBody(token)) void this.#walk(token, walk);
      else void this.#end(token, walk);
    } catch (thrown) {
      this.#run.failWalk(token, thrown);
      this.leave(token, walk);
    }
  }

  /**
   * Passes what has no body. False: the token is somewhere else, or nowhere, or must not continue. A run that stops
   * still replays what was recorded, so that its last state is the one it had reached.
   */
  #comeToBody(token: Token): boolean {
    const run = this.#run;
    const { graph, control, limits } = run;
    while (!run.isOver && token.phase !== "over" && (control.stopped === undefined || run.isReplaying)) {
      const node = graph.plan.nodes[token.at] as PlanNode;
      const own = node.definition.control;
      if (own === undefined && node.parallel === undefined)
        return control.stopped === undefined || run.isRecorded(token, node);
      limits.pass(token, node, run.scheduler.live);
      const target = own === undefined ? undefined : passControl(run, token, own);
      const hasArrived =
        target === undefined
          ? this.#advance(token, node, alongEdges)
          : run.scheduler.arrive(token, gotoTarget(run, target, node));
      if (!hasArrived) return false;
    }
    return false;
  }

  async #walk(token: Token, walk: Walk): Promise<void> {
    const run = this.#run;
    const { graph, control, recorder, limits } = run;
    try {
      do {
        const node = graph.plan.nodes[token.at] as PlanNode;
        limits.reset();
        if (this.#yield.isDue(control.steps)) await this.#yield.take();
        let outcome: RecordedOutcome | Outcome;
        if (recorder.isOn || node.hasPolicy) {
          outcome = await run.visit(token, node);
        } else {
          // Nothing is recorded, retried or listened to: the body is called right here, and costs little more than
          // itself.
          limits.begin(token, node);
          const context = new NodeContext(run, token, node, 1, 0);
          token.running = context;
          try {
            const returned = node.definition.execute?.(context);
            const result = isPromise(returned) ? await returned : returned;
            outcome = admitResult(result, node, control.runtime, 1);
          } catch (thrown) {
            outcome = failedOnce(node, thrown, control);
          } finally {
            NodeContext.endUnrecorded(context);
          }
        }
        if (this.#isDiscarded(token, outcome)) break;
        // Counted when it is done, so that a resumed run counts as the one that was never interrupted.
        control.steps++;
        const move =
          "isLost" in outcome ? settleRecorded(run, token, node, outcome) : settleOutcome(run, token, node, outcome);
        const streamed = control.isHeard && move.kind !== "lost" ? reportStep(run, token, node, outcome) : undefined;
        if (!this.#advance(token, node, move)) break;
        if (streamed !== undefined) await streamed;
      } while (this.#comeToBody(token));
      const ended = this.#end(token, walk);
      if (ended !== undefined) await ended;
    } catch (thrown) {
      run.failWalk(token, thrown);
      this.leave(token, walk);
    }
  }

  /** Stores what the walk emitted last, and leaves. */
  #end(token: Token, walk: Walk): void | Promise<void> {
    const flushed = this.#run.isEndOfRun ? undefined : this.#run.flush();
    if (flushed === undefined) return this.leave(token, walk);
    return flushed.then(
      () => this.leave(token, walk),
      (thrown: unknown) => {
        this.#run.failWalk(token, thrown);
        this.leave(token, walk);
      },
    );
  }

  /**
   * What came too late to count: the graph is over, the branch lost, or the attempt only failed because the run stops.
   */
  #isDiscarded(token: Token, outcome: RecordedOutcome | Outcome): boolean {
    const { isOver, control } = this.#run;
    if (isOver || token.phase === "over" || control.isClosed) return true;
    return control.stopped !== undefined && "kind" in outcome && outcome.kind === "failed";
  }

  /** Moves the token on. False: it stands somewhere else, or nowhere, and this walk is over. */
  #advance(token: Token, node: PlanNode, move: Move): boolean {
    const { scheduler } = this.#run;
    if (move.kind === "goto") return scheduler.arrive(token, move.target);
    if (move.kind === "lost") {
      this.#run.loseBranch(token, move.fork, move.error);
      return false;
    }
    const next = this.#next(token, node);
    if (next.length === 1 && node.parallel === undefined) return scheduler.arrive(token, next[0] as number);
    if (next.length > 0) scheduler.fork(token, node);
    else this.#run.endBranch(token);
    return false;
  }

  #next(token: Token, node: PlanNode): readonly number[] {
    const { fold } = this.#run;
    for (const edge of node.conditional) if (holds(fold, edge.condition, token, node)) return [edge.to];
    return node.next;
  }
}
