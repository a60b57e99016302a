// What all graphs of one run share (the root and its subgraphs): whether it continues, what is active, which questions
// are open, how many steps were taken. A run suspends when nothing is active and an answer is needed first.

import type { Answer } from "./answers.ts";
import { Answers } from "./answers.ts";
import type { RunAnswerRequest } from "../../../journal/port.ts";
import type { Json } from "../../../lib/json.ts";
import { defaultMaxIterations } from "../schedule/limit-reached.ts";
import { stepLimitReached } from "../schedule/limits.ts";
import { thrownPause } from "../model/pause-with.ts";
import { fitAnswer, typedNames } from "../model/answer-value.ts";
import type { OpenQuestion } from "../model/question.ts";
import { lateSubject, type QuestionPlace } from "../model/question-place.ts";
import type { Recorder } from "../record/recorder.ts";
import { SharedFlush } from "../record/shared-flush.ts";
import type { Runtime } from "../model/runtime.ts";
import type { StepResult, StepUpdate } from "../model/step-result.ts";
import type { Stop } from "../model/stop.ts";
import type { Warnings } from "../record/warnings.ts";

/** Thrown into bodies when the run stops: the signal's reason, and what `ctx.ask` rejects with. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly stop: Stop;
  constructor(stop: Stop) {
    super(
      stop.kind === "pause"
        ? `the run stops (${stop.reason})`
        : stop.kind === "cancel"
          ? "the run was cancelled"
          : "the run failed",
    );
    this.stop = stop;
  }
}

export type QuestionPolicy =
  /** Pause when nothing else is left to do. */
  | "suspend"
  /** Keep the process running, and wait for an answer from another process. */
  | "stay"
  /** Take each question's default; pause if there is none. */
  | "decline"
  /** Ask here; `undefined` leaves the question open. */
  | ((question: OpenQuestion) => Promise<Json | undefined> | Json | undefined);

/** Asks one question, and is notified when it can only wait for the answer. */
export interface Asker {
  /** The attempt that it is part of. */
  readonly visit: object;
  block(): void;
  unblock(): void;
}

interface Waiting {
  readonly question: OpenQuestion;
  readonly asker: Asker;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

/** What an attempt of a node threw. */
export interface NodeError {
  readonly node: string;
  readonly key: string;
  readonly attempt: number;
  readonly error: Error;
}

export interface ProgressEvent {
  readonly type: string;
  readonly node: string;
  readonly key: string;
  readonly data: Json;
}

export interface Abortable {
  abort(reason: Error): void;
}

export class RunControl {
  readonly recorder: Recorder;
  /** For parts of bodies, which may end at the same time. */
  readonly sharedFlush: SharedFlush;
  readonly runtime: Runtime;
  readonly maxSteps: number;
  /** For loops that set no limit themselves. */
  readonly maxIterations: number;
  readonly onStep: ((step: StepResult<Record<string, unknown>>) => void | Promise<void>) | undefined;
  readonly onUpdate: ((step: StepUpdate<Record<string, unknown>>) => void | Promise<void>) | undefined;
  readonly onProgress: ((event: ProgressEvent) => void | Promise<void>) | undefined;
  readonly onNodeError: ((failure: NodeError) => void | Promise<void>) | undefined;
  readonly warnings: Warnings;
  readonly snapshotEvery: number;
  /** How long what still runs is waited for when a run or a subgraph stops. */
  readonly #graceMs: number;
  readonly onAnswered: (request: string) => void;
  readonly #questions: QuestionPolicy;
  readonly #answers: Answers;
  readonly #onIdle: () => void;
  readonly #onPause: (stop: Stop) => void;
  /** Not keyed by id: two nodes may ask with the same one. */
  readonly #waiting = new Set<Waiting>();
  readonly #abortables = new Set<Abortable>();
  #active = 0;
  #stop: Stop | undefined;
  /** Recorded when a loop without its own limit ended after 100 iterations as if it were done. */
  leavesLoopsAtLimit = false;
  /** Recorded when the graph's catch ran in each branch that failed, beside the other branches. */
  catchesInBranches = false;
  /** Visits that are done, in all graphs of the run. */
  steps = 0;
  /** The journal is closed, or about to be: nothing can be recorded any more. */
  isClosed = false;
  /** Takes a snapshot of the whole run; set by the owner of the root. */
  takeSnapshot: () => Json = () => null;

  constructor(parts: {
    recorder: Recorder;
    runtime: Runtime;
    maxSteps: number;
    snapshotEvery: number;
    graceMs: number;
    questions: QuestionPolicy;
    answers: Readonly<Record<string, Json>> | undefined;
    onStep: ((step: StepResult<Record<string, unknown>>) => void | Promise<void>) | undefined;
    onUpdate: ((step: StepUpdate<Record<string, unknown>>) => void | Promise<void>) | undefined;
    onProgress: ((event: ProgressEvent) => void | Promise<void>) | undefined;
    onNodeError: ((failure: NodeError) => void | Promise<void>) | undefined;
    warnings: Warnings;
    /** Nothing runs, and questions are open: the owner looks for answers once more, and then stops the run. */
    onIdle: () => void;
    /** A node asked for it: the owner stops the run. */
    onPause: (stop: Stop) => void;
    /** The answer that came with this request is on record. */
    onAnswered: (request: string) => void;
  }) {
    this.recorder = parts.recorder;
    this.sharedFlush = new SharedFlush(parts.recorder);
    this.runtime = parts.runtime;
    this.maxSteps = parts.maxSteps;
    this.maxIterations = parts.runtime.maxIterations ?? defaultMaxIterations;
    this.snapshotEvery = parts.snapshotEvery;
    this.#graceMs = parts.graceMs;
    this.#questions = parts.questions;
    this.#answers = new Answers(parts.answers);
    this.#onIdle = parts.onIdle;
    this.#onPause = parts.onPause;
    this.onStep = parts.onStep;
    this.onUpdate = parts.onUpdate;
    this.onProgress = parts.onProgress;
    this.onNodeError = parts.onNodeError;
    this.warnings = parts.warnings;
    this.onAnswered = parts.onAnswered;
  }

  /** A listener is called for each step. */
  get isHeard(): boolean {
    return this.onStep !== undefined || this.onUpdate !== undefined;
  }

  get stopped(): Stop | undefined {
    return this.#stop;
  }

  /** The first reason wins; everything that runs is notified. */
  stop(stop: Stop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    const reason = new RunStopped(stop);
    for (const abortable of this.#abortables) abortable.abort(reason);
    for (const waiting of this.#waiting) waiting.reject(reason);
  }

  throwIfStopped(): void {
    if (this.#stop !== undefined) throw new RunStopped(this.#stop);
  }

  /** A body that throws `pauseWith` stops the run; its visit stays open, and the next resume tries it again. */
  pauseIfAsked(thrown: unknown): void {
    if (this.#stop === undefined && this.isPausedBy(thrown)) this.throwIfStopped();
  }

  /** True for what `pauseWith` made: the run stops, if it has not already. */
  isPausedBy(thrown: unknown): boolean {
    const pause = thrownPause(thrown);
    if (pause !== undefined && this.#stop === undefined) this.#onPause(pause);
    return pause !== undefined;
  }

  /** Waits for what was asked to stop, but no longer than the grace period. */
  async withinGrace(done: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    const grace = this.runtime.clock.sleep(this.#graceMs, timer.signal).catch(() => undefined);
    await Promise.race([done, grace]);
    timer.abort(new Error("quiet"));
  }

  addAbortable(abortable: Abortable): void {
    this.#abortables.add(abortable);
    if (this.#stop !== undefined) abortable.abort(new RunStopped(this.#stop));
  }

  removeAbortable(abortable: Abortable): void {
    this.#abortables.delete(abortable);
  }

  get isAtStepLimit(): boolean {
    return this.maxSteps > 0 && this.steps >= this.maxSteps;
  }

  /** Refuses to begin another step once this many are done. */
  checkSteps(node: string): void {
    if (this.isAtStepLimit) throw stepLimitReached(node, this.maxSteps);
  }

  // ---- what is active

  activate(): void {
    this.#active++;
  }

  deactivate(): void {
    if (--this.#active === 0) this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.isIdle && this.#questions !== "stay") this.#onIdle();
  }

  /** Nothing runs, and an answer is needed before anything can. */
  get isIdle(): boolean {
    return this.#active === 0 && this.#waiting.size > 0 && this.#stop === undefined;
  }

  // ---- questions

  /** No question is asked in this process: the run pauses as soon as nothing else is left to do. */
  get pausesForQuestions(): boolean {
    return this.#questions === "suspend" || this.#questions === "decline";
  }

  get openQuestions(): OpenQuestion[] {
    return [...this.#waiting].map((waiting) => waiting.question);
  }

  /**
   * Resolves with the answer, and who gave it; rejects when the run stops first. The caller records it. `asker` is
   * notified at once when it is blocked and when it continues, so that a run never counts as idle in between.
   */
  wait(question: OpenQuestion, asker: Asker): Promise<Answer> {
    const known = this.#knownAnswer(question);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      if (this.#stop !== undefined) {
        reject(new RunStopped(this.#stop));
        return;
      }
      let isBlocked = false;
      const block = (): void => {
        isBlocked = true;
        asker.block();
      };
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          if (!this.#waiting.delete(waiting)) return;
          if (isBlocked) asker.unblock();
          then(value);
        };
      const waiting: Waiting = { question, asker, resolve: settle(resolve), reject: settle(reject) };
      this.#waiting.add(waiting);
      if (typeof this.#questions === "function") this.#askHere(waiting, this.#questions, block);
      else block();
    });
  }

  #knownAnswer(question: OpenQuestion): Answer | undefined {
    for (const kept of this.#answers.takeKept(question)) {
      const fitted = this.#fitted(question, kept);
      if (fitted !== undefined) return fitted;
    }
    const known = this.#answers.take(question.id, ...typedNames(question), question.text);
    const fitted = known && this.#fitted(question, known);
    if (fitted !== undefined) return fitted;
    if (this.#questions === "decline" && question.default !== undefined)
      return { value: question.default, by: "default" };
    return undefined;
  }

  /** Undefined for an answer that does not fit: it is reported, and the question stays open. */
  #fitted(question: OpenQuestion, answer: Answer): Answer | undefined {
    // A declined question gets its default, whatever its options are. Null: older versions sent only the default.
    const isDeclined = answer.isDeclined === true || (answer.value === null && question.default === null);
    if (isDeclined && question.default !== undefined) return { ...answer, value: question.default };
    const fitted = fitAnswer(question, answer.value);
    if ("value" in fitted) return { ...answer, value: fitted.value };
    this.#refuse(answer, `"${question.text}"`, fitted.problem, `${question.id} ${JSON.stringify(answer.value)}`);
    return undefined;
  }

  #refuse({ request }: Answer, question: string, problem: string, subject: string): void {
    const message = `The answer to ${question} was not taken: ${problem}`;
    this.warnings.add({ kind: "answer-refused", message }, subject);
    if (request !== undefined) this.onAnswered(request);
  }

  #askHere(waiting: Waiting, ask: Exclude<QuestionPolicy, string>, onBlocked: () => void): void {
    // A question is being asked: that is activity, and does not suspend the run.
    Promise.resolve()
      .then(() => ask(waiting.question))
      .then(
        (value) => {
          if (value === undefined) onBlocked();
          else waiting.resolve({ value, by: "handler" });
        },
        (error: unknown) => waiting.reject(error instanceof Error ? error : new Error(String(error))),
      );
  }

  /** The answers of this visit are no longer needed. */
  cancelQuestions(visit: object, reason: Error): void {
    for (const waiting of this.#waiting) if (waiting.asker.visit === visit) waiting.reject(reason);
  }

  /** The same for a visit that is done: nothing waits there any more, so nothing is notified. */
  dropQuestions(visit: object): void {
    for (const waiting of this.#waiting) if (waiting.asker.visit === visit) this.#waiting.delete(waiting);
  }

  /** An answer from another process. */
  takeRequest({ id: request, question, key, value, isDeclined }: RunAnswerRequest & { readonly id: string }): void {
    const answer: Answer = { value, by: "request", request, isDeclined };
    if (key === undefined) this.#answerNamed(question, answer);
    else this.#answerOnly({ id: question, key }, answer);
  }

  /** For a question that is open, by id or text, else for the next one of that name. */
  #answerNamed(name: string, answer: Answer): void {
    const all = [...this.#waiting];
    const waiting =
      all.find(({ question }) => question.id === name) ??
      all.find(({ question }) => question.name === name) ??
      all.find(({ question }) => question.text === name);
    if (waiting === undefined) this.#answers.leave(name, answer);
    else this.#resolve(waiting, answer);
  }

  /** For one question. It never serves another one, which its sender has not seen. */
  #answerOnly(place: QuestionPlace, answer: Answer): void {
    const waiting = [...this.#waiting].find(({ question }) => question.id === place.id && question.key === place.key);
    if (waiting !== undefined) this.#resolve(waiting, answer);
    // Its visit has not come back to it since the resume, or is just recording another answer.
    else if (this.recorder.open.isOpenQuestion(place)) this.#answers.keep(place, answer);
    else this.#refuseLate(place, answer);
  }

  /** Its answer is on record: others that came for it are refused. */
  closeQuestion(place: QuestionPlace): void {
    for (const answer of this.#answers.takeKept(place)) this.#refuseLate(place, answer);
  }

  #resolve(waiting: Waiting, answer: Answer): void {
    const fitted = this.#fitted(waiting.question, answer);
    if (fitted !== undefined) waiting.resolve(fitted);
  }

  #refuseLate({ id, key }: QuestionPlace, answer: Answer): void {
    const subject = `${lateSubject({ id, key })}${answer.request ?? JSON.stringify(answer.value)}`;
    this.#refuse(answer, `question "${id}" of ${key}`, "the question is no longer open.", subject);
  }
}
