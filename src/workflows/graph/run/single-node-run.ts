// A graph of one node, run inside another graph, while nothing records or listens: the body is called with no scheduler
// around it. An item of a mapNode is such a run, and there are thousands of them. To the graph around it, to its node and
// to the code that stops the run it behaves like a GraphRun.

import { createDeferred } from "../../../lib/deferred.ts";
import { isPromise } from "../../../lib/is-promise.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { foldOf } from "../compile/graph-fold.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { StateFold, StateValue } from "../model/fold.ts";
import type { Recorder } from "../record/recorder.ts";
import { checkLimits } from "../schedule/limits.ts";
import { rootContext, Token } from "../schedule/token.ts";
import { admitResult, type Outcome, failedOnce } from "./attempts.ts";
import { NodeContext } from "./node-context.ts";
import type { RunControl } from "./run-control.ts";
import type { NestedAt, RunHost } from "./run-host.ts";
import { settleOutcome } from "./settle.ts";

type AnyGraph = CompiledGraph<Record<string, unknown>>;

/** Nothing but a body: no edges, branches, loops, retries, timeouts or handlers. */
export function isSingleNode({ plan }: AnyGraph): boolean {
  const node = plan.nodes[0];
  if (node === undefined || plan.nodes.length > 1 || node.hasPolicy || node.parallel !== undefined) return false;
  return node.successors.length === 0 && node.definition.control === undefined;
}

/**
 * Runs it. Resolves with its last state, as an author's code may see it; rejects when the node fails or the run stops.
 */
export function runSingleNode(
  around: RunHost,
  graph: AnyGraph,
  initial: StateValue,
  { path, body }: NestedAt,
): Promise<StateValue> {
  const run = new SingleNodeRun(around, graph, path, initial, body);
  const running = run.run();
  // The node that waits for the subgraph does nothing itself; the subgraph's own node counts.
  body.beginWait();
  return running;
}

class SingleNodeRun implements RunHost {
  readonly graph: AnyGraph;
  readonly fold: StateFold;
  readonly control: RunControl;
  readonly recorder: Recorder;
  readonly #around: RunHost;
  readonly #body: NestedAt["body"];
  readonly #token: Token;
  readonly #done = createDeferred<StateValue>();
  #quiet: (() => void)[] | undefined;
  /** Its body counts no longer, even if it still runs. */
  #hasLeft = false;
  #hasEnded = false;
  #stoppedBy: { readonly reason: unknown } | undefined;
  isOver = false;
  final: StateValue | undefined = undefined;

  constructor(around: RunHost, graph: AnyGraph, path: string, initial: StateValue, body: NestedAt["body"]) {
    this.graph = graph;
    this.fold = foldOf(graph);
    this.control = around.control;
    this.recorder = around.recorder;
    this.#around = around;
    this.#body = body;
    this.#token = new Token(rootContext(path), 0, initial);
  }

  run(): Promise<StateValue> {
    this.control.activate();
    this.#around.subgraphs.singles.set(this.#token.branch.path, this);
    this.control.addAbortable(this);
    if (this.#hasEnded) this.#leave();
    else void this.#runNode(this.graph.plan.nodes[0] as PlanNode);
    return this.#done.promise;
  }

  async #runNode(node: PlanNode): Promise<void> {
    const { control, graph } = this;
    const token = this.#token;
    try {
      for (let isGoing = true; isGoing;) {
        token.visit = token.branch.visits.enter(0);
        checkLimits(graph, control, token, node);
        const context = new NodeContext(this, token, node, 1, 0);
        token.running = context;
        let outcome: Outcome;
        try {
          const returned = node.definition.execute?.(context);
          const result = isPromise(returned) ? await returned : returned;
          outcome = admitResult(result, node, control.runtime, 1);
        } catch (thrown) {
          outcome = failedOnce(node, thrown, control);
        } finally {
          NodeContext.endUnrecorded(context);
        }
        if (this.isOver || control.isClosed || (control.stopped !== undefined && outcome.kind === "failed")) break;
        control.steps++;
        // A goto can only lead to the node itself.
        isGoing = settleOutcome(this, token, node, outcome).kind === "goto";
        if (!isGoing) this.#finish(token.state);
        else if (control.stopped !== undefined) break;
      }
    } catch (thrown) {
      if (!token.isDropped && !control.isPausedBy(thrown) && control.stopped === undefined) this.fail(thrown);
    }
    this.#leave();
  }

  #finish(state: StateValue): void {
    this.final = state;
    this.isOver = true;
    this.#end();
    if (this.#stoppedBy === undefined) this.#done.resolve(this.fold.view(state));
  }

  fail(reason: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#end();
    const error = reason instanceof Error ? reason : new Error(String(reason));
    NodeContext.abort(this.#token.running, error);
    if (this.control.stopped === undefined) this.#done.reject(reason);
    else this.#rejectWhenQuiet(reason);
  }

  giveUp(reason: Error): void {
    this.fail(reason);
    this.#token.isDropped = true;
    this.#leave();
  }

  /** The run stops. What finishes in the next moments still counts as a step; nothing new starts. */
  abort(reason: Error): void {
    this.#end();
    this.#rejectWhenQuiet(reason);
  }

  /** While the run stops, the body gets the same time to end as what runs beside it. */
  #rejectWhenQuiet(reason: unknown): void {
    if (this.#hasLeft) this.#done.reject(reason);
    else this.#stoppedBy ??= { reason };
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.control.removeAbortable(this);
    this.#body.endWait();
  }

  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#around.subgraphs.singles.delete(this.#token.branch.path);
    if (this.#stoppedBy !== undefined) this.#done.reject(this.#stoppedBy.reason);
    for (const resolve of this.#quiet ?? []) resolve();
    this.control.deactivate();
  }

  get isQuiet(): boolean {
    return this.#hasLeft;
  }

  whenQuiet(): Promise<void> {
    if (this.#hasLeft) return Promise.resolve();
    return new Promise((resolve) => {
      (this.#quiet ??= []).push(resolve);
    });
  }

  // ---- what its node asks for is that of the graph around it: their visits have other keys

  get subgraphs(): RunHost["subgraphs"] {
    return this.#around.subgraphs;
  }

  runNested(...call: Parameters<RunHost["runNested"]>): ReturnType<RunHost["runNested"]> {
    return this.#around.runNested(...call);
  }

  releaseSlot(token: Token): void {
    this.#around.releaseSlot(token);
  }

  noteProgress(): void {
    this.#around.noteProgress();
  }

  closeVisit(key: string): number {
    return this.#around.closeVisit(key);
  }

  flush(): void | Promise<void> {
    return this.#around.flush();
  }
}
