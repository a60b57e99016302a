// One graph being run: walks its tokens from node to node. Forks and joins are decided by lanes.ts, tries of a node
// by attempts.ts, durability by recorder.ts. A subgraph is another GraphRun that shares the control and the recorder.
//
// The invariant that makes resume exact: a node's outcome is recorded, folded and turned into the next step without
// an await in between, so every stored event and every snapshot shows a run that really stood like that.

import { createDeferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { Attempted } from "./attempts.ts";
import { admitResult, failedOnce, runAttempts } from "./attempts.ts";
import { Breath } from "./breath.ts";
import type { CompiledSubgraph } from "./compiled-subgraph.ts";
import { CompiledGraph } from "./compiled-graph.ts";
import { checkVisits, holds, lastUpdatedMs, passControl } from "./control-nodes.ts";
import type { StateValue } from "./fold.ts";
import { keyPart } from "./key.ts";
import type { LaneHost } from "./lanes.ts";
import { Lanes } from "./lanes.ts";
import { checkCycle, checkNestedFingerprint } from "./nested-fingerprint.ts";
import { NodeContext } from "./node-context.ts";
import type { PlanNode } from "./plan.ts";
import type { RecordedOutcome, Recorder } from "./recorder.ts";
import { isPromise } from "./recorder.ts";
import { ReplayGate } from "./replay-gate.ts";
import type { RunControl } from "./run-control.ts";
import type { NestedAt, RunHost } from "./run-host.ts";
import { branchesUnder } from "./segments.ts";
import type { Move } from "./settle.ts";
import { alongEdges, catchRoute, moveTo, settleOutcome, settleRecorded, toStepResult } from "./settle.ts";
import type { GraphSnapshot } from "./graph-snapshot.ts";
import { restoreGraph } from "./snapshot.ts";
import { Starts } from "./starts.ts";
import { Subgraphs } from "./subgraphs.ts";
import type { Fork, Walk } from "./token.ts";
import { rootSeat, Token } from "./token.ts";
import { whileReplaying } from "./unrecordable.ts";

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
  /** Told at once when the graph is over, before anything else happens. */
  readonly onEnd?: () => void;
  /** Called once all that was recorded is replayed, before anything runs. */
  readonly beforeLive?: (run: GraphRun) => Promise<void>;
}

export class GraphRun implements LaneHost, RunHost {
  readonly graph: AnyGraph;
  readonly control: RunControl;
  readonly recorder: Recorder;
  readonly lanes: Lanes;
  readonly #parts: GraphRunParts;
  readonly subgraphs: Subgraphs<GraphRun>;
  readonly #done = createDeferred<StateValue>();
  readonly #breath: Breath;
  readonly #starts = new Starts<Token>((token) => void this.#walk(token, token.walk as Walk));
  #gate: ReplayGate | undefined;
  #walking = 0;
  /** Finished or failed: what still comes in is dropped. A run that merely stops still records what was done. */
  isOver = false;
  #hasEnded = false;
  #final: StateValue | undefined;
  #quiet: (() => void) | undefined;

  constructor(parts: GraphRunParts) {
    this.#parts = parts;
    this.graph = parts.graph;
    this.control = parts.control;
    this.recorder = parts.control.recorder;
    this.#breath = new Breath(parts.control.runtime.clock);
    const restored = parts.snapshot === undefined ? undefined : restoreGraph(parts.snapshot, this.graph);
    this.lanes = new Lanes(this.graph.plan, this.graph.fold, this, restored?.base ?? parts.initial);
    this.subgraphs = new Subgraphs(restored?.nested);
    if (restored !== undefined) this.lanes.restore(restored.tokens, restored.ended);
    if (restored?.isFinal === true) this.#final = restored.base;
  }

  get final(): StateValue | undefined {
    return this.#final;
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
    this.#walking++;
    try {
      if (this.lanes.live === 0) this.#startFresh();
      else this.lanes.resume();
    } catch (thrown) {
      this.#fail(thrown);
    }
    this.#leaveWalk();
    return this.#done.promise;
  }

  #startFresh(): void {
    const { path, initial } = this.#parts;
    const token = new Token(rootSeat(path), this.graph.plan.start, initial);
    this.lanes.add(token);
    if (this.lanes.arrive(token, this.graph.plan.start)) this.start(token);
  }

  get isQuiet(): boolean {
    return this.#walking === 0;
  }

  /** Resolves when nothing of this graph runs any more. */
  whenQuiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#quiet = resolve;
    });
  }

  // ---- walking

  start(token: Token): void {
    this.control.activate();
    this.#walking++;
    token.walk = { hasLeft: false };
    this.#starts.start(token);
  }

  /** Nobody waits for what still runs for the token. */
  abandon(token: Token): void {
    if (token.walk !== undefined) this.#leave(token, token.walk);
  }

  #leave(token: Token, walk: Walk): void {
    if (walk.hasLeft) return;
    walk.hasLeft = true;
    if (token.isDropped) this.#forget(token);
    this.#leaveWalk();
    this.control.deactivate();
  }

  #forget(token: Token): void {
    this.#gate?.leave(token);
    this.closeVisit(token.keyOf((this.graph.plan.nodes[token.at] as PlanNode).keyPart));
  }

  #leaveWalk(): void {
    this.#walking--;
    this.#goLiveIfReplayed();
    if (this.#walking === 0) this.#quiet?.();
  }

  async #walk(token: Token, walk: Walk): Promise<void> {
    try {
      while (!this.isOver && this.control.stopped === undefined && token.phase !== "over") {
        const node = this.graph.plan.nodes[token.at] as PlanNode;
        const { control } = node.definition;
        if (control !== undefined || node.parallel !== undefined) {
          // Counted too: a circle of parallel nodes would never come to a node that is.
          if (node.parallel !== undefined) this.control.passStep(node.id);
          const target = control === undefined ? undefined : passControl(this.graph, token, control);
          if (!this.#advance(token, node, target === undefined ? alongEdges : moveTo(this, target, node))) break;
          continue;
        }
        this.control.checkSteps(node.id);
        checkVisits(this.graph, token, node);
        if (this.#breath.isDue(this.control.steps)) await this.#breath.take();
        let outcome: RecordedOutcome | Attempted;
        if (this.recorder.isOn || node.hasPolicy) {
          outcome = await this.#visit(token, node);
        } else {
          // Nobody records, retries or listens: the body is called right here, and costs little more than itself.
          const context = new NodeContext(this, token, node, 1, 0);
          token.running = context;
          try {
            const returned = node.definition.execute?.(context);
            const result = isPromise(returned) ? await returned : returned;
            outcome = { attempt: 1, outcome: admitResult(result, node, this.control.runtime) };
          } catch (thrown) {
            outcome = failedOnce(node, thrown, this.control);
          } finally {
            context.endUnrecorded();
          }
        }
        if (this.#isDiscarded(token, outcome)) break;
        // Counted when it is done, so that a resumed run counts as the one that was never interrupted.
        this.control.steps++;
        const move =
          "isLost" in outcome ? settleRecorded(this, token, node, outcome) : settleOutcome(this, token, node, outcome);
        const { onStep } = this.control;
        const streamed =
          onStep === undefined || move.kind === "lost"
            ? undefined
            : onStep(toStepResult(this.graph.fold, token, node, outcome));
        if (!this.#advance(token, node, move)) break;
        if (streamed !== undefined) await streamed;
      }
      const flushed = this.flush();
      if (flushed !== undefined) await flushed;
    } catch (thrown) {
      if (this.control.stopped === undefined && !token.isDropped)
        this.#fail(this.#gate === undefined ? thrown : whileReplaying(thrown));
    } finally {
      this.#leave(token, walk);
    }
  }

  /** What came too late to count: the graph is over, the branch lost, or the try only failed because the run stops. */
  #isDiscarded(token: Token, outcome: RecordedOutcome | Attempted): boolean {
    if (this.isOver || token.phase === "over" || this.control.isClosed) return true;
    return this.control.stopped !== undefined && "outcome" in outcome && outcome.outcome.kind === "failed";
  }

  /** What was recorded, or what happens now. */
  #visit(token: Token, node: PlanNode): RecordedOutcome | Attempted | Promise<RecordedOutcome | Attempted> {
    const key = token.keyOf(node.keyPart);
    const recorded = this.recorder.outcomeOf(key);
    if (recorded !== undefined) return recorded;
    if (this.#gate === undefined) return runAttempts(this, token, node, key);
    const waited = this.#gate.wait(token);
    this.#goLiveIfReplayed();
    return waited.then(() => runAttempts(this, token, node, key));
  }

  /** Moves the token on. False: it stands somewhere else, or nowhere, and this walk is over. */
  #advance(token: Token, node: PlanNode, move: Move): boolean {
    if (move.kind === "goto") return this.lanes.arrive(token, move.target);
    if (move.kind === "lost") {
      this.#loseBranch(token, move.fork, move.error);
      return false;
    }
    const next = this.#next(token, node);
    if (next.length === 1 && node.parallel === undefined) return this.lanes.arrive(token, next[0] as number);
    if (next.length > 0) this.lanes.fork(token, node);
    else this.#endBranch(token);
    return false;
  }

  #next(token: Token, node: PlanNode): readonly number[] {
    for (const edge of node.conditional) if (holds(this.graph.fold, edge.condition, token, node)) return [edge.to];
    return node.next;
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

  #loseBranch(token: Token, fork: Fork, error: Error): void {
    for (const branch of branchesUnder(token, fork))
      this.recorder.forgetBranch(`${fork.key}/${keyPart(fork.names[branch] as string)}/`);
    if (!this.lanes.lose(token, fork, error)) return;
    const parallel = this.graph.plan.nodes[fork.node] as PlanNode;
    const reasons = fork.failures.map((failure) => failure.message).join("; ");
    const message = `Every branch of "${parallel.id}" failed: ${reasons}`;
    const { onError } = parallel.definition;
    const route = typeof onError === "string" ? { goto: onError } : catchRoute(this, parallel);
    // Thrown into the walk of a token that is over: it has to fail the graph itself.
    if (route === undefined) return this.#fail(new AtomicError("NODE_FAILED", message, { cause: fork.failures }));
    const reopened = this.lanes.reopen(fork);
    reopened.failure = Object.freeze({ node: parallel.id, message, code: "NODE_FAILED" });
    if (this.lanes.arrive(reopened, moveTo(this, route.goto, parallel).target)) this.start(reopened);
  }

  // ---- ends

  #endBranch(last: Token): void {
    this.lanes.end(last);
    if (this.lanes.live > 0) return;
    const state = this.lanes.finalState(last);
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
    for (const token of this.lanes.tokens) token.running?.abort(reason);
    for (const nested of this.subgraphs.begun.values()) nested.#fail(reason);
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
    if (gate === undefined || !gate.isReplayed(this.#walking)) return;
    this.#gate = undefined;
    const queued = this.lanes.tokens.filter((token) => token.phase === "queued");
    try {
      // A branch that waits for its turn may have had it before: what follows from it is replayed when it starts.
      if (!queued.some((token) => this.recorder.hasOutcomesIn(token.seat.path)))
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

  async runNested(
    graph: CompiledSubgraph<Record<string, unknown>>,
    state: Record<string, unknown>,
    at: NestedAt,
  ): Promise<Record<string, unknown>> {
    const { names } = this.#parts;
    const { path, name, parent } = at;
    checkCycle(names, name);
    if (!CompiledGraph.is(graph)) return graph.execute(state);
    checkNestedFingerprint(this.recorder, { graph, path, name });
    const { redact } = this.control.runtime;
    const nested = new GraphRun({
      graph,
      path,
      control: this.control,
      names: name === undefined ? names : [...names, name],
      initial: graph.fold.initial(state, parent["executionId"] as string, lastUpdatedMs(parent), redact),
      snapshot: this.subgraphs.takeLeft(path),
      onEnd: () => at.body.goOn(),
    });
    this.subgraphs.begun.set(path, nested);
    // The node that waits for the subgraph does nothing itself; the subgraph's own nodes count.
    const running = nested.run();
    at.body.rest();
    const ended = this.recorder.isDurable ? running : running.finally(() => this.subgraphs.begun.delete(path));
    return ended.then((final) => graph.fold.view(final));
  }

  /** Nobody waits for it any more, not even for what still runs in it. */
  giveUp(reason: Error): void {
    this.#fail(reason);
    for (const token of this.lanes.tokens) {
      token.isDropped = true;
      this.abandon(token);
    }
    for (const nested of this.subgraphs.begun.values()) nested.giveUp(reason);
  }

  closeVisit(key: string): void {
    this.recorder.closeVisit(key);
    for (const path of this.subgraphs.forget(key)) this.recorder.setFingerprint(path, undefined);
  }
}
