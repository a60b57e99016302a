// One graph being run, from its start or from a snapshot to its end. Its tokens are walked by walks.ts, forks and
// joins are decided by branch-scheduler.ts, attempts of a node by attempts.ts, durability by recorder.ts. A subgraph is
// another GraphRun that shares the control and the recorder.

import { createDeferred } from "../../../lib/deferred.ts";
import type { Outcome } from "./attempts.ts";
import { runAttempts } from "./attempts.ts";
import type { CompiledSubgraph } from "../model/compiled-subgraph.ts";
import { CompiledGraph } from "../compile/compiled-graph.ts";
import { foldOf } from "../compile/graph-fold.ts";
import type { StateFold, StateValue, WriteConflict } from "../model/fold.ts";
import { keyPart } from "../model/key.ts";
import { visitOfSubgraph } from "../model/visit-key.ts";
import { NodeContext } from "./node-context.ts";
import { GraphLimits } from "../schedule/limits.ts";
import type { SchedulerHost } from "../schedule/branch-scheduler.ts";
import { BranchScheduler } from "../schedule/branch-scheduler.ts";
import { checkCycle, checkNestedFingerprint } from "../record/nested-fingerprint.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { RecordedOutcome } from "../record/recorded-outcome.ts";
import type { Recorder } from "../record/recorder.ts";
import { isPromise } from "../../../lib/is-promise.ts";
import { ReplayGate } from "../record/replay-gate.ts";
import type { RunControl } from "./run-control.ts";
import type { NestedAt } from "./run-host.ts";
import { branchesUnder } from "../schedule/segments.ts";
import {
  anyForkOf,
  catchRoute,
  everyBranchFailed,
  nodeFailure,
  isCaughtInBranch,
  joinBeforeCatch,
  moveTo,
} from "./settle.ts";
import type { GraphSnapshot } from "../record/graph-snapshot.ts";
import { restoreGraph } from "../record/snapshot.ts";
import { isSingleNode, runSingleNode } from "./single-node-run.ts";
import { firstSubgraphState } from "./subgraph-state.ts";
import { Subgraphs } from "./subgraphs.ts";
import type { Fork } from "../schedule/token.ts";
import { rootContext, Token } from "../schedule/token.ts";
import { writeConflict } from "../record/warnings.ts";
import { whileReplaying } from "../record/unrecordable.ts";
import type { WalkHost } from "./walks.ts";
import { Walks } from "./walks.ts";

type AnyGraph = CompiledGraph<Record<string, unknown>>;

export interface GraphRunParts {
  readonly graph: AnyGraph;
  /** The prefix of every key in it; empty for the root. */
  readonly path: string;
  readonly control: RunControl;
  /** Names of the workflows around this one, itself last: a name that comes again is a cycle. */
  readonly names: readonly string[];
  readonly initial: StateValue;
  readonly snapshot: GraphSnapshot | undefined;
  /** The graph that this one runs inside of. */
  readonly around?: GraphRun;
  /** Called at once when the graph is over, before anything else happens. */
  readonly onEnd?: () => void;
  /** Called once all that was recorded is replayed, before anything runs. */
  readonly beforeLive?: (run: GraphRun) => Promise<void>;
}

export class GraphRun implements SchedulerHost, WalkHost {
  readonly graph: AnyGraph;
  readonly fold: StateFold;
  readonly control: RunControl;
  readonly recorder: Recorder;
  readonly scheduler: BranchScheduler;
  readonly #parts: GraphRunParts;
  readonly subgraphs: Subgraphs<GraphRun>;
  readonly #done = createDeferred<StateValue>();
  readonly #walks: Walks;
  readonly limits: GraphLimits;
  #gate: ReplayGate | undefined;
  /** Finished or failed: what still comes in is dropped. A run that merely stops still records what was done. */
  isOver = false;
  #hasEnded = false;
  #final: StateValue | undefined;
  readonly #quiet: (() => void)[] = [];

  constructor(parts: GraphRunParts) {
    this.#parts = parts;
    this.graph = parts.graph;
    this.fold = foldOf(parts.graph);
    this.control = parts.control;
    this.recorder = parts.control.recorder;
    this.#walks = new Walks(this);
    this.limits = new GraphLimits(parts.graph, parts.control);
    const restored = parts.snapshot === undefined ? undefined : restoreGraph(parts.snapshot, this.graph);
    this.scheduler = new BranchScheduler(this.graph.plan, this.fold, this, restored?.base ?? parts.initial);
    this.subgraphs = new Subgraphs(restored?.nested);
    if (restored !== undefined) this.scheduler.restore(restored.tokens, restored.ended);
    if (restored?.isFinal === true) this.#final = restored.base;
  }

  get final(): StateValue | undefined {
    return this.#final;
  }

  get isEndOfRun(): boolean {
    return this.#final !== undefined && this.#parts.path === "";
  }

  /** Runs to the end. Rejects when the graph fails or the run stops. */
  run(): Promise<StateValue> {
    if (this.#final !== undefined) {
      this.isOver = true;
      this.#end();
      return Promise.resolve(this.#final);
    }
    if (this.recorder.hasOutcomes || this.#parts.beforeLive !== undefined) this.#gate = new ReplayGate();
    this.control.addAbortable(this);
    // Held so that the gate can't open before every token had its chance to replay.
    this.#walks.hold();
    try {
      if (this.scheduler.live === 0) this.#startFresh();
      else this.scheduler.resume();
    } catch (thrown) {
      this.#fail(thrown);
    }
    this.#walks.release();
    this.#settleWalks();
    return this.#done.promise;
  }

  #startFresh(): void {
    const { path, initial } = this.#parts;
    const token = new Token(rootContext(path), this.graph.plan.start, initial);
    this.scheduler.add(token);
    if (this.scheduler.arrive(token, this.graph.plan.start)) this.start(token);
  }

  get isQuiet(): boolean {
    return this.#walks.count === 0;
  }

  /** Resolves when nothing of this graph runs any more. */
  whenQuiet(): Promise<void> {
    if (this.isQuiet) return Promise.resolve();
    return new Promise((resolve) => {
      this.#quiet.push(resolve);
    });
  }

  // ---- walking

  start(token: Token): void {
    this.#walks.start(token);
  }

  /** What still runs for the token is stopped, and no longer awaited. */
  abandon(token: Token, reason: Error): void {
    NodeContext.abort(token.running, reason);
    if (token.walk !== undefined) this.#walks.leave(token, token.walk);
  }

  walkEnded(token: Token): void {
    if (token.isDropped) this.#forget(token);
    this.#settleWalks();
  }

  #forget(token: Token): void {
    this.#gate?.leave(token);
    this.closeVisit(token.keyOf((this.graph.plan.nodes[token.at] as PlanNode).keyPart));
  }

  #settleWalks(): void {
    this.#goLiveIfReplayed();
    if (this.#quiet.length > 0 && this.isQuiet) for (const resolve of this.#quiet.splice(0)) resolve();
  }

  failWalk(token: Token, thrown: unknown): void {
    if (!token.isDropped && !this.control.isPausedBy(thrown) && this.control.stopped === undefined)
      this.#fail(this.#gate === undefined ? thrown : whileReplaying(thrown));
  }

  get isReplaying(): boolean {
    return this.#gate !== undefined;
  }

  isRecorded(token: Token, node: PlanNode): boolean {
    return this.recorder.outcomeOf(token.keyOf(node.keyPart)) !== undefined;
  }

  visit(token: Token, node: PlanNode): RecordedOutcome | Outcome | Promise<RecordedOutcome | Outcome> {
    const key = token.keyOf(node.keyPart);
    const recorded = this.recorder.outcomeOf(key);
    if (recorded !== undefined) return recorded;
    this.limits.begin(token, node);
    if (this.#gate === undefined) return runAttempts(this, token, node, key);
    const waited = this.#gate.wait(token);
    this.#goLiveIfReplayed();
    return waited.then(() => runAttempts(this, token, node, key));
  }

  // ---- parallel nodes that choose a winner

  chooseWinner(fork: Fork, branch: number): boolean {
    const name = fork.names[branch] as string;
    const recorded = this.recorder.winnerOf(fork.key);
    if (recorded !== undefined && recorded !== name) return false;
    if (recorded === undefined && this.recorder.isOn)
      this.recorder.emit({ type: "branch.won", key: fork.key, branch: name });
    this.recorder.forgetFork(fork.key);
    return true;
  }

  warnOfConflict(parallel: string, conflict: WriteConflict): void {
    this.control.warnings.add(writeConflict(parallel, conflict), `${conflict.key} of ${parallel}`);
  }

  loseBranch(token: Token, fork: Fork, lost: Error): void {
    for (const branch of branchesUnder(token, fork))
      this.recorder.forgetBranch(`${fork.key}/${keyPart(fork.names[branch] as string)}/`);
    if (!this.scheduler.lose(token, fork, lost)) return;
    const parallel = this.graph.plan.nodes[fork.node] as PlanNode;
    const error = everyBranchFailed(parallel, fork);
    const { onError } = parallel.definition;
    const reopened = this.scheduler.reopen(fork);
    const failure = nodeFailure(parallel, error);
    if (typeof onError !== "string") {
      const outer = isCaughtInBranch(this, parallel) ? undefined : anyForkOf(reopened);
      if (outer !== undefined) return this.loseBranch(reopened, outer, error);
      const join = joinBeforeCatch(this, reopened, parallel);
      if (join !== undefined) {
        reopened.caught = failure;
        if (this.scheduler.arrive(reopened, join)) this.start(reopened);
        return;
      }
    }
    const route = typeof onError === "string" ? { goto: onError } : catchRoute(this, parallel);
    // Thrown into the walk of a token that is over: it has to fail the graph itself.
    if (route === undefined) return this.#fail(error);
    reopened.failure = failure;
    if (this.scheduler.arrive(reopened, moveTo(this, route.goto, parallel).target)) this.start(reopened);
  }

  // ---- ends

  endBranch(last: Token): void {
    this.scheduler.end(last);
    if (this.scheduler.live > 0) return;
    const state = this.scheduler.finalState(last);
    this.#final = state;
    this.isOver = true;
    this.#end();
    this.#done.resolve(state);
  }

  #fail(thrown: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#end();
    const reason = thrown instanceof Error ? thrown : new Error(String(thrown));
    for (const token of this.scheduler.tokens) NodeContext.abort(token.running, reason);
    for (const nested of this.subgraphs.all()) nested.fail(reason);
    this.#gate?.release();
    this.#done.reject(thrown);
  }

  /** The run stops. What finishes in the next moments is still recorded; nothing new starts. */
  abort(reason: Error): void {
    this.#end();
    this.#gate?.release();
    this.#done.reject(reason);
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.control.removeAbortable(this);
    this.#parts.onEnd?.();
  }

  // ---- replay, durability

  #goLiveIfReplayed(): void {
    const gate = this.#gate;
    if (gate === undefined || !gate.isReplayed(this.#walks.count)) return;
    this.#gate = undefined;
    const queued = this.scheduler.tokens.filter((token) => token.phase === "queued");
    try {
      // A branch that waits for its turn may have had it before: what follows from it is replayed when it starts.
      if (!queued.some((token) => this.recorder.hasOutcomesIn(token.branch.path)))
        this.recorder.checkNothingLeft(this.#parts.path);
    } catch (thrown) {
      this.#fail(thrown);
    }
    const { beforeLive } = this.#parts;
    if (beforeLive === undefined || this.isOver) return gate.release();
    beforeLive(this).then(
      () => gate.release(),
      (thrown: unknown) => {
        this.#fail(thrown);
        gate.release();
      },
    );
  }

  flush(): void | Promise<void> {
    const flushed = this.recorder.flush();
    if (isPromise(flushed)) return flushed.then(() => this.#snapshotIfDue());
    return this.#snapshotIfDue();
  }

  #snapshotIfDue(): void | Promise<void> {
    if (!this.recorder.isSnapshotDue(this.control.snapshotEvery)) return;
    return this.recorder.saveSnapshot(this.control.takeSnapshot());
  }

  // ---- subgraphs

  runNested(
    graph: CompiledSubgraph<Record<string, unknown>>,
    state: Record<string, unknown>,
    at: NestedAt,
  ): Promise<Record<string, unknown>> {
    checkCycle(this.#parts.names, at.name);
    if (!CompiledGraph.is(graph)) return graph.execute(state);
    const isPlain = at.name === undefined && !this.recorder.isOn && !this.control.isHeard;
    const initial = firstSubgraphState(graph, state, at.parent, this.control.runtime.redact);
    return isPlain && isSingleNode(graph)
      ? runSingleNode(this, graph, initial, at)
      : this.#runGraph(graph, initial, at);
  }

  async #runGraph(graph: AnyGraph, initial: StateValue, at: NestedAt): Promise<Record<string, unknown>> {
    const { names } = this.#parts;
    const { path, name } = at;
    checkNestedFingerprint(this.recorder, { graph, path, name });
    const nested = new GraphRun({
      graph,
      path,
      control: this.control,
      names: name === undefined ? names : [...names, name],
      around: this,
      initial,
      snapshot: this.subgraphs.takeRestored(path),
      onEnd: () => at.body.endWait(),
    });
    this.subgraphs.begun.set(path, nested);
    // The node that waits for the subgraph does nothing itself; the subgraph's own nodes count.
    const running = nested.run();
    at.body.beginWait();
    try {
      return nested.fold.view(await running);
    } catch (thrown) {
      // What runs in it gets the same time to end as what runs beside it.
      if (this.control.stopped !== undefined && !nested.isQuiet) await nested.whenQuiet();
      throw thrown;
    } finally {
      if (!this.recorder.isDurable) this.subgraphs.begun.delete(path);
    }
  }

  releaseSlot(token: Token): void {
    this.scheduler.releaseSlot(token);
  }

  fail(reason: Error): void {
    this.#fail(reason);
  }

  /** Nothing waits for it any more, or for what still runs in it. */
  giveUp(reason: Error): void {
    this.#fail(reason);
    for (const token of this.scheduler.tokens) {
      token.isDropped = true;
      this.abandon(token, reason);
    }
    for (const nested of this.subgraphs.all()) nested.giveUp(reason);
  }

  noteProgress(): void {
    const { path, around } = this.#parts;
    if (path !== "") this.recorder.open.progress(visitOfSubgraph(path));
    around?.noteProgress();
  }

  closeVisit(key: string): number {
    const dropped = this.recorder.closeVisit(key);
    for (const path of this.subgraphs.forget(key)) this.recorder.setFingerprint(path, undefined);
    return dropped;
  }
}
