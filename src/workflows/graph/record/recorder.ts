// The engine's side of a journal: folds the history of a run into what the scheduler asks for (outcomes by key, open
// steps, answers), buffers new events and makes them durable before anything that follows from them starts.
// Without a journal it only passes events to listeners, and costs nothing without any.

import type { Clock } from "../../../lib/clock.ts";
import { isPromise } from "../../../lib/is-promise.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import type { JournalEvent, JournalHandle, StoredEvent } from "../../../journal/port.ts";
import type { EngineEvent } from "../../../events/engine-events.ts";
import { isJsonObject } from "../../../lib/is-record.ts";
import type { ReportedEvent } from "../../../events/reported-events.ts";
import { type CustomEvent, isEngineEvent, type RunEvent, type RunEventOf } from "../../../events/run-event.ts";
import { enclosingVisits } from "../model/visit-key.ts";
import { divergedAt } from "./diverged.ts";
import { IndexedRun } from "./index-entry.ts";
import { entriesOf, shown, textsIn } from "./stored-parts.ts";
import { OpenSteps } from "./open-steps.ts";
import { SnapshotPace } from "./snapshot-pace.ts";
import { fromStored, outcomeOfFailure, type RecordedOutcome, toStored } from "./recorded-outcome.ts";

/** How long an author's event waits for other events before it is stored by itself. */
const ownEventDelayMs = 25;

export class Recorder {
  readonly open = new OpenSteps();
  /** Requests whose answer is on record, and which may not have been acknowledged yet. */
  readonly answered = new Set<string>();
  /** What was warned of: kind and subject. */
  readonly warned = new Set<string>();
  readonly #handle: JournalHandle | undefined;
  readonly #indexed = new IndexedRun(this.open);
  readonly #clock: Clock;
  readonly #listener: ((event: RunEvent) => void | Promise<void>) | undefined;
  readonly #outcomes = new Map<string, RecordedOutcome>();
  /** Visits that have recorded outcomes inside them. */
  readonly #enclosing = new Set<string>();
  /** Visits the history says are over; what was recorded inside them is of no use any more. */
  readonly #finished = new Set<string>();
  readonly #winners = new Map<string, string>();
  readonly #fingerprints = new Map<string, string>();
  #buffer: JournalEvent[] = [];
  #whenStored: (() => void)[] = [];
  #isSealed = false;
  #flushSoon: ReturnType<typeof setTimeout> | undefined;
  #failed: { readonly error: unknown } | undefined;
  #seq = 0;
  #lastAt = 0;
  #writing: Promise<void> | undefined;
  readonly #pace = new SnapshotPace();
  readonly isDurable: boolean;
  readonly sharesWrites: boolean;

  constructor(parts: {
    handle: JournalHandle | undefined;
    clock: Clock;
    listener: ((event: RunEvent) => void | Promise<void>) | undefined;
  }) {
    this.#handle = parts.handle;
    this.isDurable = parts.handle !== undefined;
    this.sharesWrites = this.isDurable && parts.handle?.storesStepsApart !== true;
    this.#clock = parts.clock;
    this.#listener = parts.listener;
  }

  /** False: nothing records or listens, so events need not be created. */
  get isOn(): boolean {
    return this.#handle !== undefined || this.#listener !== undefined;
  }

  get lastSeq(): number {
    return this.#handle?.lastSeq ?? this.#seq;
  }

  // ---- what the history says

  /** Folds one event of the history. */
  replay(e: RunEvent): void {
    this.#lastAt = Math.max(this.#lastAt, e.at);
    this.#pace.noteEvents(1);
    // The layers above fold their own events.
    if (!isEngineEvent(e)) return;
    switch (e.type) {
      case "node.started":
        this.open.start(e.key, e.attempt);
        return;
      case "node.finished":
        this.#closeRecorded(e.key);
        this.#keepOutcome(e.key, {
          update: e.update,
          goto: e.goto,
          failure: undefined,
          isLost: false,
          isCaught: false,
          at: e.at,
        });
        return;
      case "node.failed":
        this.#replayFailure(e);
        return;
      case "attempt.noted":
        this.open.get(e.key).notes.push(e.note);
        return;
      case "step.finished":
        this.open.get(e.key).values[e.step] = e.value;
        this.open.progress(e.key);
        return;
      case "wait.started":
        this.open.get(e.key).waits[e.wait] = { until: e.until, forMs: e.forMs ?? e.until - e.at, at: e.at };
        return;
      case "question.asked":
        this.open.get(e.key).questions[e.name ?? e.question.id] = { question: e.question };
        return;
      case "question.answered": {
        const asked = Object.values(this.open.peek(e.key)?.questions ?? {}).find(
          ({ question }) => question["id"] === e.question,
        );
        if (asked !== undefined) asked.answer = e.answer;
        if (e.request !== undefined) this.answered.add(e.request);
        return;
      }
      case "branch.won":
        this.#winners.set(e.key, e.branch);
        return;
      case "subgraph.started":
        this.#fingerprints.set(e.key, e.fingerprint);
        return;
      case "run.warned":
        this.warned.add(`${e.kind} ${e.subject}`);
        return;
      case "run.started":
      case "state.migrated":
        return;
      case "run.paused":
        this.open.interrupt();
        return;
      case "run.finished":
        this.open.interrupt();
        if (e.outcome === "failed") this.#reopenFailed();
        return;
    }
  }

  #replayFailure(e: RunEventOf<"node.failed">): void {
    const step = this.open.get(e.key);
    step.isRunning = false;
    if (e.retryAt !== undefined) {
      step.failures++;
      step.retry = { until: e.retryAt, forMs: e.retryAt - e.at, at: e.at };
      return;
    }
    const kept = outcomeOfFailure(e);
    if (kept === undefined) return;
    this.#closeRecorded(e.key);
    this.#keepOutcome(e.key, kept);
  }

  /** A failed run is resumed to try again what failed; a branch that was given up, unless its fork has a winner. */
  #reopenFailed(): void {
    this.open.allowRetry();
    const isLost = ([key, outcome]: readonly [string, RecordedOutcome]): boolean =>
      outcome.isLost && ![...this.#winners.keys()].some((fork) => key.startsWith(`${fork}/`));
    for (const [key] of [...this.#outcomes].filter(isLost)) this.#outcomes.delete(key);
  }

  #keepOutcome(key: string, outcome: RecordedOutcome): void {
    this.#outcomes.set(key, outcome);
    for (const visit of enclosingVisits(key)) {
      this.#enclosing.add(visit);
      this.open.progress(visit);
    }
  }

  #closeRecorded(key: string): void {
    this.open.delete(key);
    this.#finished.add(key);
  }

  get hasOutcomes(): boolean {
    return this.#outcomes.size > 0;
  }

  hasOutcomesIn(path: string): boolean {
    for (const key of this.#outcomes.keys()) if (key.startsWith(path)) return true;
    return false;
  }

  /** Stays until the visit is closed: a snapshot that is taken before must still have it. */
  outcomeOf(key: string): RecordedOutcome | undefined {
    return this.#outcomes.size === 0 ? undefined : this.#outcomes.get(key);
  }

  /**
   * The visit is over: nothing that is known of it, or of what happened inside it, is needed any more. Returns how many
   * steps inside it are dropped without having been replayed.
   */
  closeVisit(key: string): number {
    this.open.delete(key);
    if (this.#outcomes.size === 0) return 0;
    this.#outcomes.delete(key);
    if (!this.#enclosing.delete(key)) return 0;
    const inside = [...this.#outcomes.keys()].filter((inner) => enclosingVisits(inner).includes(key));
    for (const inner of inside) this.#outcomes.delete(inner);
    return inside.length;
  }

  /** A branch was given up: nothing that is known of it is needed any more. */
  forgetBranch(path: string): void {
    for (const known of [this.#outcomes, this.open, this.#winners, this.#fingerprints]) {
      for (const key of [...known.keys()]) if (key.startsWith(path)) known.delete(key);
    }
  }

  /** A fork has its winner, which has ended: the same for all of its branches. */
  forgetFork(key: string): void {
    this.#winners.delete(key);
    this.forgetBranch(`${key}/`);
  }

  winnerOf(forkKey: string): string | undefined {
    return this.#winners.get(forkKey);
  }

  fingerprintOf(path: string): string | undefined {
    return this.#fingerprints.get(path);
  }

  setFingerprint(path: string, fingerprint: string | undefined): void {
    if (fingerprint === undefined) this.#fingerprints.delete(path);
    else this.#fingerprints.set(path, fingerprint);
  }

  /**
   * Recorded outcomes that the graph did not reach. Those inside a step that is still open are read when it runs
   * again; any other means that a condition, a reducer or a node's order of steps changed since it was recorded.
   */
  checkNothingLeft(path: string): void {
    if (this.#outcomes.size === 0) return;
    for (const key of this.#outcomes.keys()) {
      // A number comes first in the path of another subgraph of the same visit.
      if (!key.startsWith(path) || key[path.length] === "#") continue;
      const enclosing = enclosingVisits(key).filter((visit) => visit.startsWith(path));
      if (enclosing.some((visit) => this.open.peek(visit) !== undefined)) continue;
      if (enclosing.some((visit) => this.#finished.has(visit))) {
        this.#outcomes.delete(key);
        continue;
      }
      throw divergedAt(key);
    }
  }

  // ---- what happens now

  /** Takes ownership of the event and stamps it in place, which saves a copy per record. */
  emit(event: EngineEvent & { at?: number }): number {
    const at = this.now();
    if (!this.#isSealed) {
      event.at = at;
      this.#buffer.push(event);
    }
    return at;
  }

  /** An event of a layer above or of an author, checked already. The same. */
  emitOwn(event: (ReportedEvent | CustomEvent) & { at?: number }): void {
    if (this.#isSealed) return;
    event.at = this.now();
    this.#buffer.push(event);
    // It belongs to no step, whose end would store it soon.
    this.flushSoon();
  }

  /**
   * For events that nothing waits for: stored with the next ones, or by themselves, because a process may be watching.
   */
  flushSoon(): void {
    this.#flushSoon ??= setTimeout(() => this.#flushUnasked(), ownEventDelayMs);
  }

  /** Calls back when everything that was emitted so far is durable; never, if it can't be stored. */
  whenStored(then: () => void): void {
    this.#whenStored.push(then);
  }

  #flushUnasked(): void {
    this.#flushSoon = undefined;
    try {
      const flushed = this.flush();
      if (flushed !== undefined) flushed.catch((error: unknown) => (this.#failed ??= { error }));
    } catch (error) {
      // No caller waits for this write; the next one that does gets the error.
      this.#failed ??= { error };
    }
  }

  /**
   * What was emitted last is the end of this stretch of the run. Bodies that were not awaited may still want to say
   * something; and a snapshot after the end would hide it from a resume.
   */
  seal(): void {
    this.#isSealed = true;
  }

  /**
   * Never goes back, whatever the system's clock does: the newest update is the one with the latest time, and a wait
   * that was recorded is never longer than it was meant to be.
   */
  now(): number {
    return (this.#lastAt = Math.max(this.#lastAt, this.#clock.now()));
  }

  /** Makes everything emitted so far durable. Throws when that fails; nothing that follows may start then. */
  flush(): void | Promise<void> {
    if (this.#failed !== undefined) throw this.#failed.error;
    if (this.#flushSoon !== undefined) clearTimeout(this.#flushSoon);
    this.#flushSoon = undefined;
    if (this.#writing !== undefined) return this.#writing.then(() => this.flush());
    if (this.#buffer.length === 0) return;
    const batch = this.#buffer;
    const callbacks = this.#whenStored;
    this.#buffer = [];
    if (callbacks.length > 0) this.#whenStored = [];
    if (this.#handle === undefined) {
      const events = batch.map((event) => ({ ...event, at: event.at ?? 0, seq: ++this.#seq }));
      return this.#publish(events, callbacks);
    }
    this.#pace.noteEvents(batch.length);
    let stored: readonly StoredEvent[] | Promise<readonly StoredEvent[]>;
    try {
      stored = this.#handle.append(batch, this.#indexed.entryFor(batch, this.#lastAt));
    } catch (error) {
      return this.#fail(error);
    }
    if (!isPromise(stored)) return this.#publish(stored, callbacks);
    this.#writing = stored.then(
      (events) => {
        this.#writing = undefined;
        this.#publish(events, callbacks);
      },
      (error: unknown) => {
        this.#writing = undefined;
        this.#fail(error);
      },
    );
    return this.#writing;
  }

  /** What was not stored is lost to the record, so nothing that comes after it may be stored either. */
  #fail(error: unknown): never {
    this.#failed ??= { error };
    throw error;
  }

  #publish(events: readonly StoredEvent[], callbacks: readonly (() => void)[]): void {
    if (this.#listener !== undefined) for (const event of events) void this.#listener(shown(event));
    for (const then of callbacks) then();
  }

  // ---- snapshots

  isSnapshotDue(minEvents: number): boolean {
    return this.#handle !== undefined && this.#pace.isDue(this.#handle, minEvents);
  }

  /** Call only right after a flush: the snapshot stands for every event up to the last one that is stored. */
  saveSnapshot(body: Json): void | Promise<void> {
    const handle = this.#handle;
    // What is still on its way to the store is in the snapshot, and would be folded once more on resume.
    if (handle === undefined || this.#isSealed || this.#buffer.length > 0 || this.#writing !== undefined) return;
    this.#pace.noteBegin();
    const saved = handle.saveSnapshot({ seq: handle.lastSeq, body });
    if (isPromise(saved)) return saved.then(() => this.#pace.noteSaved(handle));
    this.#pace.noteSaved(handle);
  }

  exportOpen(): JsonObject {
    return {
      open: this.open.toJson(),
      // Recorded before this process began, and not reached yet: in a branch that waits for its turn, or in a subgraph.
      outcomes: Object.fromEntries([...this.#outcomes].map(([key, outcome]) => [key, toStored(outcome)])),
      winners: Object.fromEntries(this.#winners),
      fingerprints: Object.fromEntries(this.#fingerprints),
      answered: [...this.answered],
      warned: [...this.warned],
    };
  }

  restoreOpen(stored: JsonObject): void {
    const { open, outcomes, winners, fingerprints, answered, warned } = stored;
    if (isJsonObject(open)) this.open.restore(open);
    for (const [key, outcome] of entriesOf(outcomes))
      if (isJsonObject(outcome)) this.#keepOutcome(key, fromStored(outcome));
    for (const [key, branch] of textsIn(winners)) this.#winners.set(key, branch);
    for (const [key, print] of textsIn(fingerprints)) this.#fingerprints.set(key, print);
    for (const [, request] of textsIn(answered)) this.answered.add(request);
    for (const [, warning] of textsIn(warned)) this.warned.add(warning);
  }
}
