// What a node's body gets. Created once per attempt, so it is small: the signal, the key and the parts that need a
// journal are created on first use.

import { deepFreeze } from "../../../lib/deep-freeze.ts";
import { shortHash } from "../../../lib/hash.ts";
import { type Json, type JsonObject, toJson } from "../../../lib/json.ts";
import { viewOf } from "../../../lib/json-view.ts";
import type { CompiledSubgraph } from "../model/compiled-subgraph.ts";
import { beginWait, remainingMs, requireTime } from "../model/durable-wait.ts";
import type { AskedQuestion } from "../../../events/engine-events.ts";
import type { ReportedEvent } from "../../../events/reported-events.ts";
import { type ContextParts, noContextParts } from "./context-parts.ts";
import { requireOwnName, requireWhole } from "./emitted-event.ts";
import type { StateValue } from "../model/fold.ts";
import type { RunHost } from "./run-host.ts";
import { keyPart, stepKey, subgraphPath } from "../model/key.ts";
import type { Attempt, ExecutionContext, NodeFailure, SubgraphCallOptions } from "../model/node.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { OpenQuestion, Question } from "../model/question.ts";
import { openWorktree } from "./open-worktree.ts";
import { withOwnAgents } from "./own-agents.ts";
import { ownCopy } from "./own-copy.ts";
import { type Asker, RunStopped } from "./run-control.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Token } from "../schedule/token.ts";
import type { StepOwner, StepScope } from "./step-scope.ts";
import { VisitActivity } from "./visit-activity.ts";

type AnyState = Record<string, unknown>;
type Context = ExecutionContext<AnyState>;

export class NodeContext implements Context {
  readonly #state: StateValue;
  #view: StateValue | undefined;
  readonly #visit: number;
  readonly #failure: NodeFailure | undefined;
  readonly #run: RunHost;
  readonly #token: Token;
  readonly #plan: PlanNode;
  readonly #number: number;
  readonly #failures: number;
  #made: ContextParts | undefined;
  /** The body has ended: nothing new may begin. */
  #isDraining = false;
  #isOver = false;

  constructor(run: RunHost, token: Token, plan: PlanNode, number: number, failures: number) {
    this.#state = token.state;
    if (run.control.runtime.isStrict === true) this.#view = deepFreeze(token.state);
    this.#visit = token.visit;
    this.#failure = token.failure;
    this.#run = run;
    this.#token = token;
    this.#plan = plan;
    this.#number = number;
    this.#failures = failures;
  }

  /** A view: changes that an author makes to it never reach other branches or the record. */
  get state(): Readonly<AnyState> {
    return (this.#view ??= this.#run.fold.view(this.#state));
  }

  get #parts(): ContextParts {
    return (this.#made ??= noContextParts());
  }

  get visit(): number {
    return this.#visit;
  }

  get failure(): NodeFailure | undefined {
    return this.#failure;
  }

  get node(): string {
    return this.#plan.id;
  }

  get runtime(): Runtime {
    return (this.#parts.runtime ??= withOwnAgents(this.#run.control.runtime, this));
  }

  get key(): string {
    return (this.#parts.key ??= stepKey(this.#token.branch.path, this.#plan.keyPart, this.#visit));
  }

  get signal(): AbortSignal {
    const parts = this.#parts;
    if (parts.controller === undefined) {
      parts.controller = new AbortController();
      if (this.#isOver) parts.controller.abort(new Error("this try of the node is over"));
      else this.#run.control.addAbortable((parts.abortable = { abort: (reason) => NodeContext.abort(this, reason) }));
    }
    return parts.controller.signal;
  }

  get attempt(): Attempt {
    return (this.#parts.attempt ??= {
      number: this.#number,
      failures: this.#failures,
      failedRuns: this.#run.recorder.open.peek(this.key)?.failedRuns ?? 0,
      previousNotes: (this.#run.recorder.open.peek(this.key)?.notes ?? []).map(ownCopy),
      note: async (note) => {
        this.#note(note);
        await this.#run.control.sharedFlush.flush();
      },
      noteSoon: (note) => {
        this.#note(note);
        this.#run.recorder.flushSoon();
      },
    });
  }

  // Authors take what they need out of the context, `({ state, ask }) => …`, so what they can call must know where it
  // belongs. Getters, because a closure per attempt and method would cost more than a small node.

  get step(): Context["step"] {
    return (name, body) => this.#call(() => this.#step(name, body));
  }

  get emit(): Context["emit"] {
    return (name, data) => this.#emit(name, data);
  }

  get record(): Context["record"] {
    return (event) => this.#record(event);
  }

  get flush(): Context["flush"] {
    return async () => {
      await this.#run.control.sharedFlush.flush();
    };
  }

  get progress(): Context["progress"] {
    return (type, data) => {
      const { onProgress } = this.#run.control;
      if (onProgress === undefined) return;
      const shown = data === undefined ? null : this.#admit(data, `progress "${type}"`, "data");
      void onProgress({ type, node: this.node, key: this.key, data: shown });
    };
  }

  /** A caller that takes it inside a step asks for that step, even in a callback that other code calls later. */
  get ask(): Context["ask"] {
    const step = this.#made?.activity?.currentStep();
    return (question) => this.#call(() => this.#ask(question, step));
  }

  get sleepUntil(): Context["sleepUntil"] {
    return (atMs) => this.#call(() => this.#sleepUntil(atMs));
  }

  get worktree(): Context["worktree"] {
    return (name) => this.#call(() => openWorktree(this, name));
  }

  get runSubgraph(): Context["runSubgraph"] {
    return (graph, state, options) => {
      const running = this.#runSubgraph(graph, state, options);
      (this.#parts.calls ??= new Set()).add(running);
      return running;
    };
  }

  get #activity(): VisitActivity {
    return (this.#parts.activity ??= new VisitActivity(this, this.#run.control));
  }

  /** A rejection because the attempt or the run ends is not an error of the body, which may not have awaited it yet. */
  #call<T>(body: () => Promise<T>): Promise<T> {
    const called = (async () => {
      try {
        return await body();
      } catch (thrown) {
        if (this.#isDraining || thrown instanceof RunStopped) this.#ignoreRejections();
        throw thrown;
      }
    })();
    (this.#parts.calls ??= new Set()).add(called);
    return called;
  }

  #ignoreRejections(): void {
    for (const called of this.#made?.calls ?? []) called.catch(() => undefined);
  }

  #note(note: Json): void {
    this.#checkMayBegin("a note");
    const admitted = this.#admit(note, "a note", "note");
    const { recorder } = this.#run;
    recorder.open.get(this.key).notes.push(admitted);
    recorder.emit({ type: "attempt.noted", key: this.key, attempt: this.#number, note: admitted });
  }

  async #step<T extends Json | void>(name: string, body: () => Promise<T> | T): Promise<T> {
    this.#checkMayBegin(`step "${name}"`);
    const { recorder, control } = this.#run;
    const step = this.#nameUse(`:${keyPart(name)}`);
    const open = recorder.open.get(this.key);
    if (Object.hasOwn(open.values, step)) return ownCopy(open.values[step] as Json) as T;
    control.throwIfStopped();
    return this.#activity.runStep(async () => {
      const value = await body();
      const admitted = value === undefined ? null : this.#admit(value, `step "${name}"`, "value");
      // What it does later must not look like part of the next attempt.
      this.#checkMayContinue(`the end of step "${name}"`);
      open.values[step] = admitted;
      recorder.open.progress(this.key);
      recorder.emit({ type: "step.finished", key: this.key, step, value: admitted });
      await control.sharedFlush.flush();
      return viewOf(admitted) as T;
    });
  }

  #emit(name: string, data?: Json): void {
    requireOwnName(name, this.node);
    const { recorder } = this.#run;
    if (!recorder.isOn) return;
    const admitted = data === undefined ? null : this.#admit(data, `event "${name}"`, "data");
    recorder.emitOwn({ type: "custom", key: this.key, node: this.node, name, data: admitted });
  }

  #record(event: ReportedEvent): void {
    const { recorder } = this.#run;
    if (!recorder.isOn) return;
    const { key, node } = this;
    const admitted = this.#admit({ ...event, key, node }, `event "${event.type}"`, "event", true) as ReportedEvent;
    requireWhole(admitted, node);
    recorder.emitOwn(admitted);
  }

  async #ask(question: string | Question, step: StepScope | undefined): Promise<Json> {
    this.#checkMayBegin("a question");
    const owner = this.#activity.ownerOfCall(step);
    const asked: Question = typeof question === "string" ? { text: question } : question;
    // Named by its text: branches of a node may ask in another order after a restart, and an answer belongs to a text.
    const name =
      asked.id === undefined
        ? `${this.key}${this.#nameUse(`?${shortHash(asked.text)}`)}`
        : this.#nameUse(`=${asked.id}`).slice(1);
    const { recorder, control } = this.#run;
    const open = recorder.open.get(this.key).questions;
    const before = Object.hasOwn(open, name) ? open[name] : undefined;
    // Answers name a question by its id: no two that are open have the same.
    const id = (before?.question["id"] ?? (recorder.open.isAsked(name) ? `${name}@${this.key}` : name)) as string;
    if (before?.answer !== undefined) return ownCopy(before.answer);
    const admitted = this.#admit({ ...asked, id }, "a question", "question") as JsonObject & AskedQuestion;
    if (before === undefined) {
      open[name] = { question: admitted };
      const called = id === name ? undefined : { name };
      recorder.emit({ type: "question.asked", key: this.key, node: this.node, question: admitted, ...called });
      // A run that has nothing else to do pauses now, and stores both together.
      if (this.#plan.isAsking && control.pausesForQuestions) recorder.flushSoon();
      else await recorder.flush();
    } else if (!control.pausesForQuestions) {
      // It was asked before a resume that is not on record yet, and its answer may take days.
      await recorder.flush();
    }
    // While something was being stored, another branch may have won: no answer would ever come.
    this.#checkMayBegin("a question");
    const given = asked.id === undefined || asked.id === id ? undefined : { name: asked.id };
    const full: OpenQuestion = { ...admitted, ...given, node: this.node, key: this.key };
    const { value, by, request } = await control.wait(full, this.#askerFor(owner));
    const answer = this.#admit(value, `the answer to "${admitted.text}"`, "answer");
    if (open[name] !== undefined) open[name].answer = answer;
    const from = request === undefined ? undefined : { request };
    if (request !== undefined) recorder.answered.add(request);
    recorder.emit({ type: "question.answered", key: this.key, question: id, answer, by, ...from });
    control.closeQuestion(full);
    // Until it is on record, the request is there to answer again.
    if (request !== undefined) recorder.whenStored(() => control.onAnswered(request));
    if (this.#plan.isAsking && request !== undefined) recorder.flushSoon();
    else await recorder.flush();
    return viewOf(answer);
  }

  #askerFor(owner: StepOwner): Asker {
    return {
      visit: this,
      block: () => {
        this.#run.releaseSlot(this.#token);
        this.#activity.beginWait(owner);
      },
      unblock: () => this.#activity.endWait(owner),
    };
  }

  async #sleepUntil(atMs: number): Promise<void> {
    this.#checkMayBegin("a wait");
    requireTime(atMs, this.node);
    const { recorder } = this.#run;
    const wait = this.#nameUse("wait");
    const { waits } = recorder.open.get(this.key);
    const { clock } = this.runtime;
    if (waits[wait] === undefined) {
      const { until, forMs } = (waits[wait] = beginWait(atMs, clock, recorder.now()));
      recorder.emit({ type: "wait.started", key: this.key, wait, until, forMs });
    }
    await recorder.flush();
    const left = remainingMs(waits[wait], clock, recorder.now());
    if (left <= 0) return;
    // Made before it is aborted: the run aborts existing signals.
    const { signal } = this;
    if (signal.aborted) throw signal.reason;
    const sleeping = (this.#parts.sleeping ??= new AbortController());
    await this.#activity.runSleep(clock.sleep(left, sleeping.signal));
  }

  #runSubgraph<T extends object>(graph: CompiledSubgraph<T>, state: T, options: SubgraphCallOptions = {}): Promise<T> {
    try {
      this.#checkMayBegin("a subgraph");
      const { name, key } = options;
      // After a failure the inner graph starts anew; after a crash it continues where it stood.
      const path = subgraphPath(this.key, this.#failures, key ?? this.#countUse("/"));
      const inner = graph as CompiledSubgraph as CompiledSubgraph<AnyState>;
      const body = this.#activity.waitFor();
      return this.#run.runNested(inner, state as AnyState, { path, name, parent: this.#state, body }) as Promise<T>;
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  #checkMayBegin(what: string): void {
    this.#checkMayContinue(what);
    if (this.#isDraining) throw new Error(`${what} of node "${this.node}" came after its body had ended`);
  }

  /** An attempt that timed out, or whose branch lost, may continue in the background, without any effect. */
  #checkMayContinue(what: string): void {
    if (this.#isOver || this.#token.isDropped || this.#run.isOver)
      throw new Error(`${what} of node "${this.node}" came after its try was over`);
  }

  #admit(value: unknown, what: string, path: string, isContainer = false): Json {
    return toJson(value, { source: `${what} of node "${this.node}"`, path, redact: this.runtime.redact, isContainer });
  }

  /** A name used again in the same attempt gets a number, so that each use is a separate record. */
  #nameUse(name: string): string {
    const use = this.#countUse(name);
    return use === 1 ? name : `${name}#${use}`;
  }

  #countUse(name: string): number {
    const uses = (this.#parts.uses ??= new Map());
    const use = (uses.get(name) ?? 0) + 1;
    uses.set(name, use);
    return use;
  }

  // Functions, not methods of the context: a body that replaces a method affects only itself.

  static abort(running: object | undefined, reason: Error): void {
    if (running === undefined || !(#run in running)) return;
    running.#made?.controller?.abort(reason);
    running.#made?.sleeping?.abort(reason);
    // A run that stops notifies its subgraphs and questions itself, and waits for what runs there.
    if (reason instanceof RunStopped) return;
    const key = running.#made?.key;
    if (key !== undefined) running.#run.subgraphs.giveUp(key, reason);
    running.#run.control.cancelQuestions(running, reason);
  }

  /**
   * The body threw while parts of it still run. Nothing new begins, what only waits is given up, and steps that work
   * come to their end and are recorded: neither a resume nor another attempt repeats them.
   */
  static async drain(context: NodeContext, reason: Error): Promise<void> {
    if (context.#made?.calls === undefined || context.#isOver) return;
    context.#isDraining = true;
    context.#ignoreRejections();
    const { control, subgraphs } = context.#run;
    const isStopping = control.stopped !== undefined;
    if (!isStopping) {
      context.#made?.sleeping?.abort(reason);
      control.cancelQuestions(context, reason);
    }
    const { key } = context.#made;
    if (key !== undefined) await subgraphs.drain(key, isStopping ? undefined : reason, control);
    await context.#made?.activity?.whenStepsAreOver();
  }

  /** The attempt has ended: nothing may abort or record through this context any more. */
  static end(context: NodeContext): void {
    context.#isOver = true;
    const made = context.#made;
    if (made === undefined) return;
    if (made.activity?.hasWaits === true) context.#run.control.dropQuestions(context);
    made.activity?.end();
    if (made.abortable !== undefined) context.#run.control.removeAbortable(made.abortable);
  }

  /** The same for an unrecorded visit: what it kept for its retries goes too. */
  static endUnrecorded(context: NodeContext): void {
    NodeContext.end(context);
    if (context.#made?.key !== undefined) context.#run.recorder.open.delete(context.#made.key);
  }
}
