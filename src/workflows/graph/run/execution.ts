// The life of one run: from its start, or from where its journal ends, to its end. Owns requests from other
// processes, suspending, and stopping with grace. Loaded by the first run (load-runs.ts).

import { AtomicError } from "../../../lib/errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { JournalHandle, PendingRequest } from "../../../journal/port.ts";
import { toErrorRecord } from "./attempts.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { runEnding } from "./ending.ts";
import type { ExecuteOptions, ExecutionResult } from "./execute-options.ts";
import { shapeOf } from "../compile/fingerprint.ts";
import { foldOf } from "../compile/graph-fold.ts";
import { GraphRun } from "./graph-run.ts";
import { guardListener, type Listener } from "../record/guard-listener.ts";
import { migrationOf, readHistory } from "../record/history.ts";
import { pauseOf } from "../model/pause-with.ts";
import type { OpenQuestion } from "../model/question.ts";
import { Recorder } from "../record/recorder.ts";
import { reducerNames } from "../model/reducer-names.ts";
import { RunControl, RunStopped } from "./run-control.ts";
import type { Runtime } from "../model/runtime.ts";
import { createRuntime } from "../model/runtime.ts";
import { snapshotGraph } from "../record/snapshot.ts";
import type { Stop } from "../model/stop.ts";
import { isUnrecordable } from "../record/unrecordable.ts";
import { Warnings } from "../record/warnings.ts";

/** The reason of every abort: without one, Node creates an error with a stack each time. */
const runOver = new Error("the run is over");

export class Execution {
  readonly #graph: CompiledGraph<Record<string, unknown>>;
  readonly #options: ExecuteOptions<Record<string, unknown>>;
  readonly #handle: JournalHandle | undefined;
  readonly #runtime: Runtime;
  readonly #recorder: Recorder;
  readonly #control: RunControl;
  readonly #warnings: Warnings;
  #root: GraphRun | undefined;
  /** It was completed by an earlier process: its result is computed from its record. */
  #isCompleted = false;
  #requestsFailed: unknown;

  constructor(
    graph: CompiledGraph<Record<string, unknown>>,
    options: ExecuteOptions<Record<string, unknown>>,
    handle: JournalHandle | undefined,
  ) {
    this.#graph = graph;
    this.#options = options;
    this.#handle = handle;
    this.#runtime = createRuntime(options.runtime);
    const guarded = <T>(name: string, listener: Listener<T> | undefined): Listener<T> | undefined =>
      guardListener(name, listener, () => this.#warnings);
    this.#recorder = new Recorder({
      handle,
      clock: this.#runtime.clock,
      listener: guarded("onEvent", options.onEvent),
    });
    this.#warnings = new Warnings(this.#recorder);
    this.#control = new RunControl({
      recorder: this.#recorder,
      runtime: this.#runtime,
      maxSteps: options.maxSteps ?? graph.config.maxSteps ?? 10_000,
      snapshotEvery: options.snapshotEvery ?? 500,
      graceMs: options.graceMs ?? 5_000,
      questions: options.questions ?? "suspend",
      answers: options.answers,
      onStep: guarded("onStep", options.onStep),
      onUpdate: guarded("onUpdate", options.onUpdate),
      onProgress: guarded("onProgress", options.onProgress),
      onNodeError: guarded("onNodeError", options.onNodeError),
      warnings: this.#warnings,
      onIdle: () => this.#suspend(),
      onPause: (stop) => this.#stop(stop),
      onAnswered: (request) => this.#acknowledgeAnswer(request),
    });
  }

  async run(): Promise<ExecutionResult<Record<string, unknown>>> {
    const root = await this.#open();
    this.#root = root;
    if (this.#isCompleted) return this.#recordedResult(root);
    this.#control.takeSnapshot = () => ({
      stateVersion: this.#graph.config.stateVersion ?? 0,
      shape: shapeOf(this.#graph),
      steps: this.#control.steps,
      loopLimit: this.#control.leavesLoopsAtLimit ? "leave" : "pause",
      catches: this.#control.catchesInBranches ? "each" : "once",
      graph: snapshotGraph(root),
      ...this.#recorder.exportOpen(),
    });
    if (this.#handle !== undefined) await this.#applyPending(this.#handle);
    const stopListening = this.#listenToSignal();
    const stopWatching = this.#watchOwner();
    const stopFollowing = this.#handle === undefined ? undefined : this.#followRequests(this.#handle);
    try {
      const ended = await this.#runToEnd(root);
      const result = await this.#finish(ended);
      return this.#warnings.all.length === 0 ? result : { ...result, warnings: this.#warnings.all };
    } finally {
      this.#control.isClosed = true;
      stopListening();
      stopWatching();
      await stopFollowing?.();
    }
  }

  /** Nothing runs and nothing is recorded: every node is replayed. */
  async #recordedResult(root: GraphRun): Promise<ExecutionResult<Record<string, unknown>>> {
    this.#recorder.seal();
    try {
      return { status: "completed", state: await root.run(), questions: [], steps: this.#control.steps };
    } finally {
      this.#control.isClosed = true;
    }
  }

  /** The start is stored together with that of the first node: nothing happens before. */
  async #open(): Promise<GraphRun> {
    const graph = this.#graph;
    const name = graph.config.name;
    const parts = { graph, path: "", control: this.#control, names: name === undefined ? [] : [name] };
    const { journal } = this.#options;
    const started = { type: "run.started", workflow: name ?? null, ...this.#options.startedWith } as const;
    if (this.#handle === undefined || journal?.resume !== true) {
      const executionId = this.#options.journal?.run ?? this.#runtime.ids.next();
      const initial = foldOf(graph).initial(
        this.#options.initialState ?? {},
        executionId,
        this.#runtime.clock.now(),
        this.#runtime.redact,
      );
      if (this.#recorder.isOn) {
        const { stateVersion = 0 } = graph.config;
        const reducers = reducerNames(graph.annotations);
        this.#recorder.emit({
          ...started,
          resumed: false,
          state: initial,
          stateVersion,
          shape: shapeOf(graph),
          ...(reducers !== undefined && { reducers }),
          loopLimit: "pause",
          catches: "once",
        });
      }
      return new GraphRun({ ...parts, initial, snapshot: undefined });
    }
    const history = await readHistory(this.#handle, journal, graph, this.#recorder);
    this.#control.steps = history.steps;
    this.#control.leavesLoopsAtLimit = history.leavesLoopsAtLimit;
    this.#control.catchesInBranches = history.catchesInBranches;
    const { initial, snapshot } = history;
    if (history.isCompleted) {
      this.#isCompleted = true;
      return new GraphRun({ ...parts, initial, snapshot, beforeLive: refuseToRunOn });
    }
    const migrate = migrationOf(graph, history);
    this.#recorder.emit({ ...started, resumed: true });
    if (migrate === undefined) return new GraphRun({ ...parts, initial, snapshot });
    return new GraphRun({
      ...parts,
      initial,
      snapshot,
      beforeLive: async (root) => {
        root.scheduler.migrate(migrate);
        await this.#recorder.flush();
        // The snapshot first: from here on the record continues from it, and old updates are never folded into a new
        // state.
        await this.#recorder.saveSnapshot(this.#control.takeSnapshot());
        this.#recorder.emit({
          type: "state.migrated",
          from: history.stateVersion,
          to: graph.config.stateVersion ?? 0,
        });
      },
    });
  }

  async #runToEnd(root: GraphRun): Promise<{ state?: JsonObject; thrown?: unknown }> {
    try {
      const state = await root.run();
      const beforeCompleted = this.#options.beforeCompleted?.();
      if (beforeCompleted !== undefined) {
        // The last node's outcome would wait for the end of the run; what follows from it must not start before it is
        // stored.
        await this.#control.recorder.flush();
        await runEnding(this.#control, beforeCompleted);
      }
      return { state };
    } catch (thrown) {
      // Whatever still runs is asked to stop, and gets some time to do so.
      this.#control.stop(
        thrown instanceof RunStopped
          ? thrown.stop
          : { kind: "fail", error: thrown instanceof Error ? thrown : new Error(String(thrown)) },
      );
      if (!root.isQuiet) await this.#control.withinGrace(root.whenQuiet());
      this.#control.isClosed = true;
      return { thrown };
    }
  }

  async #finish(ended: { state?: JsonObject; thrown?: unknown }): Promise<ExecutionResult<Record<string, unknown>>> {
    const questions = this.#control.openQuestions;
    const { steps } = this.#control;
    if (this.#requestsFailed !== undefined) throw this.#requestsFailed as Error;
    if (ended.state !== undefined) {
      await this.#emitEnd({ type: "run.finished", outcome: "completed" });
      return { status: "completed", state: ended.state, questions: [], steps };
    }
    const state = this.#stateSoFar();
    const { thrown } = ended;
    if (!(thrown instanceof RunStopped)) return this.#failed(thrown, state);
    const { stop } = thrown;
    switch (stop.kind) {
      case "cancel":
        await this.#emitEnd({ type: "run.finished", outcome: "cancelled" });
        return { status: "cancelled", state, questions: [], steps };
      case "pause": {
        const waitsFor = this.#openAtStop.map((question) => ({
          id: question.id,
          text: question.text,
          node: question.node,
        }));
        await this.#emitEnd({
          type: "run.paused",
          reason: stop.reason,
          ...(waitsFor.length === 0 ? {} : { questions: waitsFor }),
          ...stop.details,
        });
        return {
          status: "paused",
          reason: stop.reason,
          error: stop.error,
          state,
          questions: questions.length > 0 ? questions : this.#openAtStop,
          steps,
        };
      }
      case "fail":
        return this.#failed(stop.error, state);
    }
  }

  async #failed(thrown: unknown, state: JsonObject): Promise<ExecutionResult<Record<string, unknown>>> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (isUnrecordable(error)) throw error;
    await this.#emitEnd({ type: "run.finished", outcome: "failed", error: toErrorRecord(error, this.#runtime.redact) });
    return { status: "failed", state, error, questions: [], steps: this.#control.steps };
  }

  async #emitEnd(event: Parameters<Recorder["emit"]>[0]): Promise<void> {
    if (!this.#recorder.isOn) return;
    const { endsWith } = this.#options;
    // The layer above sums up what it has seen, and it sees what is stored.
    if (endsWith !== undefined) await this.#recorder.flush();
    this.#recorder.emit({ ...event, ...endsWith?.() });
    this.#recorder.seal();
    await this.#recorder.flush();
    for (const request of this.#asked) await this.#acknowledge(request);
  }

  #stateSoFar(): JsonObject {
    return this.#root?.final ?? this.#root?.scheduler.stateSoFar() ?? {};
  }

  // ---- stopping

  #openAtStop: OpenQuestion[] = [];

  #stop(stop: Stop): void {
    if (this.#control.stopped === undefined) this.#openAtStop = this.#control.openQuestions;
    this.#control.stop(stop);
  }

  /** Nothing runs and questions are open. An answer may have just arrived: check for it first. */
  #suspend(): void {
    const looked = this.#handle === undefined ? Promise.resolve() : this.#takePending(this.#handle);
    void looked.then(
      () => {
        if (this.#control.isIdle) this.#stop({ kind: "pause", reason: "needs-human" });
      },
      (error: unknown) =>
        this.#stop({ kind: "fail", error: error instanceof Error ? error : new Error(String(error)) }),
    );
  }

  #listenToSignal(): () => void {
    const { signal } = this.#options;
    if (signal === undefined) return () => undefined;
    const stop = (): void => {
      this.#stop(pauseOf(signal.reason));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return () => signal.removeEventListener("abort", stop);
  }

  /** Another process owns the run: nothing that this one has started may continue. */
  #watchOwner(): () => void {
    const lost = this.#handle?.lost;
    if (lost === undefined) return () => undefined;
    const stop = (): void => this.#stop({ kind: "fail", error: lost.reason as Error });
    if (lost.aborted) stop();
    else lost.addEventListener("abort", stop, { once: true });
    return () => lost.removeEventListener("abort", stop);
  }

  // ---- requests from other processes

  /** Requests that arrived while the run had no owner. Resuming a run overrides an older request to pause it. */
  async #applyPending(handle: JournalHandle): Promise<void> {
    for (const request of await handle.pending()) {
      if (request.type === "pause" && this.#options.journal?.resume === true) await handle.acknowledge(request.id);
      else this.#apply(request);
    }
  }

  async #takePending(handle: JournalHandle): Promise<void> {
    for (const request of await handle.pending()) this.#apply(request);
  }

  /** Returns what ends it. */
  #followRequests(handle: JournalHandle): () => Promise<void> {
    const over = new AbortController();
    const follow = async (): Promise<void> => {
      try {
        for await (const request of handle.requests(over.signal)) this.#apply(request);
      } catch (error) {
        if (over.signal.aborted) return;
        this.#requestsFailed = error;
        this.#stop({ kind: "fail", error: error instanceof Error ? error : new Error(String(error)) });
      }
    };
    const following = follow();
    return () => {
      over.abort(runOver);
      return following;
    };
  }

  readonly #obeyed = new Set<string>();
  /**
   * Requests to stop. They are acknowledged once the stop is on record, so that a crash in between does not lose them.
   */
  readonly #asked: string[] = [];

  #apply(request: PendingRequest): void {
    if (this.#obeyed.has(request.id)) return;
    this.#obeyed.add(request.id);
    switch (request.type) {
      case "answer":
        // It may have been recorded by a process that was killed before it could acknowledge it.
        if (this.#recorder.answered.has(request.id)) this.#acknowledgeAnswer(request.id);
        else this.#control.takeRequest(request);
        return;
      case "pause":
        this.#asked.push(request.id);
        this.#stop({ kind: "pause", reason: "paused" });
        return;
      case "cancel":
        this.#asked.push(request.id);
        this.#stop({ kind: "cancel" });
        return;
    }
  }

  #acknowledgeAnswer(request: string): void {
    void this.#acknowledge(request).then((isDone) => {
      if (isDone) this.#recorder.answered.delete(request);
    });
  }

  /** False if the store failed, in whatever way it does: the request stays, and is acknowledged at the next open. */
  async #acknowledge(request: string): Promise<boolean> {
    try {
      await this.#handle?.acknowledge(request);
      return true;
    } catch {
      return false;
    }
  }
}

/** The record says that the run was completed, and the graph still has a node to run. */
async function refuseToRunOn(): Promise<void> {
  throw new AtomicError(
    "JOURNAL_DIVERGED",
    "The run was completed, but replaying its record does not reach the end of the graph: a condition, a reducer or a mapper gives another result than when it was recorded. Put the old code back to read its result.",
  );
}
