// One graph being run: walks its tokens from node to node. Forks and joins are decided by lanes.ts, tries of a node
// by attempts.ts, durability by recorder.ts. A subgraph is another GraphRun that shares the control and the recorder.
//
// The invariant that makes resume exact: a node's outcome is recorded, folded and turned into the next step without
// an await in between, so every stored event and every snapshot shows a run that really stood like that.

import type { Deferred } from "../../lib/deferred.ts";
import { createDeferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import { expectDefined } from "../../lib/expect.ts";
import type { JsonObject } from "../../lib/json.ts";
import { toJson } from "../../lib/json.ts";
import type { Attempted, Outcome } from "./attempts.ts";
import { admitResult, describeFailure, runAttempts, toErrorRecord } from "./attempts.ts";
import type { CompiledGraph, CompiledSubgraph } from "./compiled-graph.ts";
import { CompiledGraph as CompiledGraphClass } from "./compiled-graph.ts";
import type { StateValue } from "./fold.ts";
import { fingerprintOf, graphChanged } from "./fingerprint.ts";
import { stepKey } from "./key.ts";
import type { LaneHost } from "./lanes.ts";
import { Lanes } from "./lanes.ts";
import type { ControlSpec, NodeFailure } from "./node.ts";
import { NodeContext } from "./node-context.ts";
import type { PlanNode } from "./plan.ts";
import type { RunHost } from "./run-host.ts";
import type { RecordedOutcome, Recorder } from "./recorder.ts";
import { isPromise } from "./recorder.ts";
import type { RunControl } from "./run-control.ts";
import { RunStopped } from "./run-control.ts";
import type { GraphSnapshot } from "./snapshot.ts";
import { restoreGraph } from "./snapshot.ts";
import { ownSegment, createToken } from "./token.ts";
import type { Fork, Token } from "./token.ts";

type AnyGraph = CompiledGraph<Record<string, unknown>>;

/** Long stretches of work that never waits for anything outside would keep timers and signals from being heard. */
const breathEverySteps = 1024;
const breathAfterMs = 50;

/** In place of a target: this walk is over, because its branch was given up. */
const lostBranch = -1;

export class GraphRun implements LaneHost, RunHost {
  readonly graph: AnyGraph;
  readonly path: string;
  readonly control: RunControl;
  readonly recorder: Recorder;
  readonly lanes: Lanes;
  readonly initial: StateValue;
  /** Names of the workflows around this one, itself last: a name that comes again is a cycle. */
  readonly names: readonly string[];
  /** Subgraphs that run inside this graph now, by path. */
  readonly nested = new Map<string, GraphRun>();
  readonly #restored: Map<string, GraphSnapshot>;
  readonly #done = createDeferred<StateValue>();
  /** Told at once when the graph is over, before anything else happens. */
  readonly #onEnd: (() => void) | undefined;
  readonly #beforeLive: ((run: GraphRun) => Promise<void>) | undefined;
  readonly #expectedLeft: string[] = [];
  #gate: Deferred<void> | undefined;
  #gated = 0;
  #driving = 0;
  #isOver = false;
  #quiet: (() => void) | undefined;
  #lastBreath = 0;

  constructor(parts: {
    graph: AnyGraph;
    path: string;
    control: RunControl;
    names: readonly string[];
    initial: StateValue;
    snapshot: GraphSnapshot | undefined;
    onEnd?: () => void;
    /** Called once all that was recorded is replayed, before anything runs. */
    beforeLive?: (run: GraphRun) => Promise<void>;
  }) {
    this.graph = parts.graph;
    this.path = parts.path;
    this.control = parts.control;
    this.recorder = parts.control.recorder;
    this.names = parts.names;
    this.initial = parts.initial;
    this.#onEnd = parts.onEnd;
    this.#beforeLive = parts.beforeLive;
    const restored = parts.snapshot === undefined ? undefined : restoreGraph(parts.snapshot, this.graph);
    this.lanes = new Lanes(this.graph.plan, this.graph.fold, this, restored?.base ?? parts.initial);
    this.#restored = restored?.nested ?? new Map();
    if (restored !== undefined) this.lanes.restore(restored.tokens, restored.ended);
  }

  /** Runs to the end. Rejects when the graph fails or the run stops. */
  async run(): Promise<StateValue> {
    if (this.recorder.hasOutcomes || this.#beforeLive !== undefined) this.#gate = createDeferred();
    this.control.addAbortable(this);
    this.#lastBreath = this.control.runtime.clock.now();
    // Held so that the gate can't open before every token had its chance to replay.
    this.#driving++;
    const restored = this.lanes.tokens;
    if (restored.length === 0) {
      const seat = {
        path: this.path,
        visits: new Map(),
        loops: new Map(),
        segments: [],
        fork: undefined,
        branches: [],
      };
      const token = createToken(seat, this.graph.plan.start, this.initial);
      this.lanes.add(token);
      if (this.lanes.arrive(token, this.graph.plan.start, false)) this.start(token);
    } else {
      for (const token of restored) if (token.phase === "moving") this.start(token);
      for (const token of restored)
        if (token.phase === "queued" && token.seat.fork !== undefined) this.lanes.startQueued(token.seat.fork);
      this.lanes.settle();
    }
    this.#stopDriving();
    return this.#done.promise;
  }

  /** Resolves when nothing of this graph runs any more. */
  whenQuiet(): Promise<void> {
    if (this.#driving === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#quiet = resolve;
    });
  }

  // ---- walking

  start(token: Token): void {
    this.control.activate();
    this.#driving++;
    this.#walk(token).then(
      () => this.#stopWalking(),
      (thrown: unknown) => {
        if (!(thrown instanceof RunStopped) && token.phase !== "over") this.#fail(thrown);
        this.#stopWalking();
      },
    );
  }

  #stopWalking(): void {
    this.#stopDriving();
    this.control.deactivate();
  }

  #stopDriving(): void {
    this.#driving--;
    this.#openGateIfReplayed();
    if (this.#driving === 0) this.#quiet?.();
  }

  async #walk(token: Token): Promise<void> {
    const { plan } = this.graph;
    for (;;) {
      if (this.#isOver || this.control.stopped !== undefined || token.phase === "over") return;
      const node = plan.nodes[token.at] as PlanNode;
      const { control } = node.definition;
      let target: number | undefined;
      if (control !== undefined) {
        target = this.#passControl(token, control);
      } else if (node.parallel === undefined) {
        this.control.countStep(node.id);
        this.#checkVisits(token, node);
        if (this.control.steps % breathEverySteps === 0) await this.#breathe();
        let outcome: RecordedOutcome | Attempted;
        if (this.recorder.isOn || node.hasPolicy) {
          outcome = await this.#visit(token, node);
        } else {
          // Nobody records, retries or listens: the body is called right here, and costs little more than itself.
          const context = new NodeContext(this, token, node, 1);
          token.running = context;
          try {
            const returned = node.definition.execute?.(context);
            outcome = this.#unrecorded(node, isPromise(returned) ? await returned : returned);
          } catch (thrown) {
            outcome = failedOnce(node, thrown);
          } finally {
            context.endUnrecorded();
          }
        }
        if (this.#isOver || this.control.stopped !== undefined || (token.phase as string) === "over") return;
        if ("isLost" in outcome) target = this.#replay(token, node, outcome);
        else target = this.#settle(token, node, outcome);
        if (target === lostBranch) break;
        const streamed = this.control.onStep === undefined ? undefined : this.#report(token, node, outcome);
        if (isPromise(streamed)) await streamed;
      }
      if (!this.#advance(token, node, target)) break;
    }
    const flushed = this.flush();
    if (isPromise(flushed)) await flushed;
  }

  /** What was recorded, or what happens now. */
  #visit(token: Token, node: PlanNode): RecordedOutcome | Attempted | Promise<RecordedOutcome | Attempted> {
    const key = stepKey(token.seat.path, node.keyPart, token.visit);
    const recorded = this.recorder.takeOutcome(key);
    if (recorded !== undefined) return recorded;
    if (this.#gate === undefined) return runAttempts(this, token, node, key);
    return this.#waitForGate().then(() => runAttempts(this, token, node, key));
  }

  #unrecorded(node: PlanNode, result: Parameters<typeof admitResult>[0]): Attempted {
    return { attempt: 1, outcome: { kind: "done", ...admitResult(result, node, this.control.runtime) } };
  }

  /** Records, folds and says where to go: nothing may await in here. */
  #settle(token: Token, node: PlanNode, { attempt, outcome }: Attempted): number | undefined {
    token.failure = undefined;
    if (outcome.kind === "failed") return this.#settleFailure(token, node, attempt, outcome);
    const { update, goto } = outcome;
    const target = goto === undefined ? undefined : this.#indexOf(goto, node);
    const at = this.recorder.isOn
      ? this.#recordDone(token, node, attempt, update, goto)
      : this.control.runtime.clock.now();
    if (update !== undefined) this.#apply(token, update, at);
    return target;
  }

  #recordDone(
    token: Token,
    node: PlanNode,
    attempt: number,
    update: JsonObject | undefined,
    goto: string | undefined,
  ): number {
    const key = stepKey(token.seat.path, node.keyPart, token.visit);
    this.recorder.open.close(key);
    return this.recorder.emit({
      type: "node.finished",
      key,
      node: node.id,
      visit: token.visit,
      attempt,
      ...(update === undefined ? undefined : { update }),
      ...(goto === undefined ? undefined : { goto }),
    });
  }

  #settleFailure(
    token: Token,
    node: PlanNode,
    attempt: number,
    outcome: Extract<Outcome, { kind: "failed" }>,
  ): number | undefined {
    const key = stepKey(token.seat.path, node.keyPart, token.visit);
    const error = toErrorRecord(outcome.error, this.control.runtime.redact);
    const failed = { type: "node.failed", key, node: node.id, visit: token.visit, attempt, error } as const;
    const route = outcome.handled ?? this.#catchRoute(node);
    const fork = route === undefined ? anyForkOf(token) : undefined;
    if (route === undefined && fork === undefined) {
      this.recorder.emit(failed);
      throw outcome.error;
    }
    this.recorder.open.close(key);
    const at = this.recorder.emit({ ...failed, ...(route ?? { lost: true }) });
    if (route === undefined) return this.#loseBranch(token, fork as Fork, outcome.error);
    if ("update" in route) {
      this.#apply(token, route.update, at);
      return undefined;
    }
    token.failure = { node: node.id, message: error.message, code: error.code };
    return this.#indexOf(route.goto, node);
  }

  /** The graph's own `catch`, except for what fails in there. */
  #catchRoute(node: PlanNode): { goto: string } | undefined {
    const { errorNode, nodes } = this.graph.plan;
    if (errorNode === undefined || errorNode === node.index) return undefined;
    return { goto: (nodes[errorNode] as PlanNode).id };
  }

  #loseBranch(token: Token, fork: Fork, error: Error): typeof lostBranch {
    if (this.#gate !== undefined) this.#expectedLeft.push(`${fork.key}/`);
    if (this.lanes.lose(token, fork, error)) {
      const parallel = this.graph.plan.nodes[fork.node] as PlanNode;
      const reasons = fork.failures.map((failure) => failure.message).join("; ");
      const all = new AtomicError("NODE_FAILED", `Every branch of "${parallel.id}" failed: ${reasons}`, {
        cause: fork.failures,
      });
      this.#failParallel(fork, parallel, all);
    }
    return lostBranch;
  }

  #failParallel(fork: Fork, parallel: PlanNode, error: Error): void {
    const { onError } = parallel.definition;
    const route = typeof onError === "string" ? { goto: onError } : this.#catchRoute(parallel);
    if (route === undefined) throw error;
    const token = this.lanes.reopen(fork);
    token.failure = { node: parallel.id, message: error.message, code: "NODE_FAILED" };
    if (this.lanes.arrive(token, this.#indexOf(route.goto, parallel), true)) this.start(token);
  }

  #replay(token: Token, node: PlanNode, recorded: RecordedOutcome): number | undefined {
    token.failure = undefined;
    if (recorded.isLost) {
      const fork = expectDefined(anyForkOf(token), "a lost branch is in a parallel node");
      return this.#loseBranch(token, fork, new Error(recorded.failure?.message ?? "failed"));
    }
    if (recorded.update !== undefined) {
      // Read back, so not frozen yet; it was checked when it was recorded.
      const update = toJson(recorded.update, {
        source: `the record of node "${node.id}"`,
        path: "update",
      }) as JsonObject;
      this.#apply(token, update, recorded.at);
    }
    if (recorded.goto === undefined) return undefined;
    if (recorded.failure !== undefined)
      token.failure = { node: node.id, message: recorded.failure.message, code: recorded.failure.code };
    return this.#indexOf(recorded.goto, node);
  }

  #apply(token: Token, update: JsonObject, at: number): void {
    const { fold } = this.graph;
    token.state = fold.apply(token.state, update, at);
    const own = ownSegment(token.seat);
    if (own !== undefined) fold.collect(own.delta, update, at);
  }

  /** Moves the token on. False: it stands somewhere else, or nowhere, and this walk is over. */
  #advance(token: Token, node: PlanNode, target: number | undefined): boolean {
    if (target !== undefined) return this.lanes.arrive(token, target, node.definition.control === undefined);
    const next = this.#next(token, node);
    if (next.length === 1 && node.parallel === undefined) return this.lanes.arrive(token, next[0] as number, false);
    if (next.length > 0) {
      const names =
        node.parallel?.branches.map((branch) => branch.name) ??
        next.map((index) => (this.graph.plan.nodes[index] as PlanNode).id);
      this.lanes.fork(token, node, next, names);
      return false;
    }
    this.lanes.end(token);
    if (this.lanes.live === 0) this.#finish(token);
    return false;
  }

  #next(token: Token, node: PlanNode): readonly number[] {
    for (const edge of node.conditional) if (this.#holds(edge.condition, token, node)) return [edge.to];
    return node.next;
  }

  #holds(condition: (state: Readonly<Record<string, unknown>>) => boolean, token: Token, node: PlanNode): boolean {
    try {
      return condition(token.state);
    } catch (thrown) {
      throw new AtomicError("NODE_FAILED", `A condition after node "${node.id}" threw: ${String(thrown)}`, {
        cause: thrown,
      });
    }
  }

  #passControl(token: Token, control: ControlSpec<Record<string, unknown>>): number | undefined {
    switch (control.kind) {
      case "pass":
      case "join":
        return undefined;
      case "loop-entry":
        token.seat.loops.set(control.loop, 0);
        return undefined;
      case "loop-check":
        return this.#checkLoop(token, control);
    }
  }

  #checkLoop(token: Token, control: Extract<ControlSpec<Record<string, unknown>>, { kind: "loop-check" }>): number {
    const done = (token.seat.loops.get(control.loop) ?? 0) + 1;
    token.seat.loops.set(control.loop, done);
    const node = this.graph.plan.nodes[token.at] as PlanNode;
    const isOut = this.#holds(control.until, token, node);
    const isWornOut = !isOut && control.maxIterations > 0 && done >= control.maxIterations;
    if (isWornOut) this.#apply(token, { maxIterationsReached: true }, Date.parse(token.state["lastUpdated"] as string));
    return this.#indexOf(isOut || isWornOut ? control.exit : control.body, node);
  }

  #checkVisits(token: Token, node: PlanNode): void {
    const { maxVisits = 0 } = this.graph.config;
    if (maxVisits <= 0 || token.visit <= maxVisits) return;
    throw new AtomicError(
      "STEP_LIMIT",
      `Node "${node.id}" was reached ${maxVisits} times and comes again: \`maxIterations\` of the graph is ${maxVisits}. Give the loop a way out, or raise it.`,
      { details: { node: node.id, maxIterations: maxVisits } },
    );
  }

  #indexOf(id: string, from: PlanNode): number {
    const index = this.graph.plan.indexOf(id);
    if (index === undefined) {
      throw new AtomicError("ROUTE_UNKNOWN", `Node "${from.id}" goes to "${id}", and the graph has no such node.`, {
        details: { node: from.id, target: id },
      });
    }
    return index;
  }

  #report(token: Token, node: PlanNode, outcome: RecordedOutcome | Attempted): void | Promise<void> {
    const isReplayed = "isLost" in outcome;
    const failure: NodeFailure | { message: string; code?: string | undefined } | undefined = isReplayed
      ? outcome.failure
      : outcome.outcome.kind === "failed"
        ? toErrorRecord(outcome.outcome.error)
        : undefined;
    const update = isReplayed ? outcome.update : outcome.outcome.kind === "done" ? outcome.outcome.update : undefined;
    return this.control.onStep?.({
      nodeId: node.id,
      key: stepKey(token.seat.path, node.keyPart, token.visit),
      visit: token.visit,
      state: token.state,
      update: update ?? {},
      status: failure === undefined ? "completed" : "recovered",
      error: failure === undefined ? undefined : { message: failure.message, code: failure.code },
      isReplayed,
    });
  }

  // ---- ends

  #finish(last: Token): void {
    this.#end();
    this.#done.resolve(this.lanes.finalState(last));
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    this.#end();
    const reason = thrown instanceof Error ? thrown : new Error(String(thrown));
    for (const token of this.lanes.tokens) token.running?.abort(reason);
    for (const nested of this.nested.values()) nested.abort(reason);
    this.#gate?.resolve();
    this.#done.reject(thrown);
  }

  #end(): void {
    this.#isOver = true;
    this.control.removeAbortable(this);
    this.#onEnd?.();
  }

  /** The run stops, or the graph around this one failed. */
  abort(reason: Error): void {
    this.#fail(reason);
  }

  // ---- races

  chooseWinner(fork: Fork, candidate: Token): boolean {
    const name = fork.names[candidate.seat.branches[0] ?? 0] as string;
    const recorded = this.recorder.winnerOf(fork.key);
    if (this.#gate !== undefined) this.#expectedLeft.push(`${fork.key}/`);
    if (recorded !== undefined) return recorded === name;
    if (this.recorder.isOn) this.recorder.emit({ type: "branch.won", key: fork.key, branch: name });
    return true;
  }

  // ---- replay, durability

  /** Bodies run only once all that was recorded is replayed, so that a record that no longer fits stops the run first. */
  #waitForGate(): Promise<void> {
    this.#gated++;
    const { promise } = this.#gate as Deferred<void>;
    this.#openGateIfReplayed();
    return promise;
  }

  #openGateIfReplayed(): void {
    const gate = this.#gate;
    if (gate === undefined || this.#gated < this.#driving || this.#driving === 0) return;
    this.#gate = undefined;
    const queued = this.lanes.tokens.filter((token) => token.phase === "queued").map((token) => token.seat.path);
    const expected = [...this.#expectedLeft, ...queued];
    try {
      this.recorder.checkNothingLeft(this.path, (key) => expected.some((path) => key.startsWith(path)));
    } catch (thrown) {
      this.#fail(thrown);
    }
    if (this.#beforeLive === undefined) gate.resolve();
    else
      this.#beforeLive(this).then(gate.resolve, (thrown: unknown) => {
        this.#fail(thrown);
        gate.resolve();
      });
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

  async #breathe(): Promise<void> {
    const { clock } = this.control.runtime;
    if (clock.now() - this.#lastBreath < breathAfterMs) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
    this.#lastBreath = clock.now();
  }

  // ---- subgraphs

  async runNested(
    graph: CompiledSubgraph,
    state: Record<string, unknown>,
    at: { path: string; name: string | undefined; parent: Readonly<Record<string, unknown>> },
  ): Promise<Record<string, unknown>> {
    const { name } = at;
    if (name !== undefined && this.names.includes(name)) {
      const chain = [...this.names.slice(this.names.indexOf(name)), name].join(" -> ");
      throw new AtomicError("WORKFLOW_CYCLE", `Circular workflow dependency detected: ${chain}`);
    }
    if (!CompiledGraphClass.is(graph)) return graph.execute(state);
    this.#checkNestedFingerprint(graph, at.path, name);
    const parentTime = Date.parse(String(at.parent["lastUpdated"]));
    const nested = new GraphRun({
      graph,
      path: at.path,
      control: this.control,
      names: name === undefined ? this.names : [...this.names, name],
      initial: graph.fold.initial(
        state,
        String(at.parent["executionId"] ?? ""),
        parentTime,
        this.control.runtime.redact,
      ),
      snapshot: this.#restored.get(at.path),
      onEnd: () => this.control.activate(),
    });
    this.#restored.delete(at.path);
    this.nested.set(at.path, nested);
    // The node that waits for the subgraph does nothing itself; the subgraph's own nodes count.
    const running = nested.run();
    this.control.deactivate();
    try {
      return await running;
    } finally {
      this.nested.delete(at.path);
      this.recorder.setFingerprint(at.path, undefined);
    }
  }

  #checkNestedFingerprint(graph: AnyGraph, path: string, name: string | undefined): void {
    if (!this.recorder.isDurable) return;
    const fingerprint = fingerprintOf(graph);
    const recorded = this.recorder.fingerprintOf(path);
    if (recorded !== undefined && recorded !== fingerprint) throw graphChanged(name ?? graph.config.name ?? path, []);
    if (recorded !== undefined) return;
    this.recorder.setFingerprint(path, fingerprint);
    this.recorder.emit({
      type: "subgraph.started",
      key: path,
      workflow: name ?? graph.config.name ?? null,
      fingerprint,
    });
  }
}

function failedOnce(node: PlanNode, thrown: unknown): Attempted {
  if (thrown instanceof RunStopped) throw thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
  return { attempt: 1, outcome: { kind: "failed", error: describeFailure(node.id, error, 1), handled: undefined } };
}

/** The nearest parallel node around the token that can do without this branch. */
function anyForkOf(token: Token): Fork | undefined {
  for (let fork = token.seat.fork; fork !== undefined; fork = fork.seat.fork)
    if (fork.spec?.strategy === "any") return fork;
  return undefined;
}
