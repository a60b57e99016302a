// What is known about steps that have started and not finished: attempts, failures, notes, recorded parts, questions.
// It is a fold of the events about them, kept during the run, so that a snapshot can carry it.

import { isJsonObject } from "../../../lib/is-record.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import { endingKey } from "../model/visit-key.ts";
import type { DurableWait } from "../model/durable-wait.ts";
import type { QuestionPlace } from "../model/question-place.ts";
import { entriesOf } from "./stored-parts.ts";

export interface OpenStep {
  /** Attempts that were started. */
  attempts: number;
  /** Attempts that failed; an attempt that was killed is not a failure. */
  failures: number;
  /** Attempts whose process ended before they did, since something of the visit was last recorded. */
  killed: number;
  /** How often the run ended as failed with this step open, and was resumed. */
  failedRuns: number;
  /** The last attempt was started, and nothing is known of it since. */
  isRunning: boolean;
  /** The pause after a failure, until the next attempt is due. */
  retry: DurableWait | undefined;
  readonly notes: Json[];
  /** Values of `ctx.step`, by their name. */
  readonly values: Record<string, Json>;
  /** Questions by the name that the visit knows them by: what was asked, and the answer once there is one. */
  readonly questions: Record<string, { readonly question: JsonObject; answer?: Json }>;
  /** Durable sleeps by name. */
  readonly waits: Record<string, DurableWait>;
}

function emptyStep(): OpenStep {
  return {
    attempts: 0,
    failures: 0,
    killed: 0,
    failedRuns: 0,
    isRunning: false,
    retry: undefined,
    notes: [],
    values: {},
    questions: {},
    waits: {},
  };
}

export class OpenSteps {
  readonly #steps = new Map<string, OpenStep>();

  get(key: string): OpenStep {
    let step = this.#steps.get(key);
    if (step === undefined) {
      step = emptyStep();
      this.#steps.set(key, step);
    }
    return step;
  }

  /** An attempt begins. An earlier attempt without a recorded end was killed. */
  start(key: string, attempt: number): OpenStep {
    const step = this.get(key);
    if (step.isRunning) step.killed++;
    step.attempts = attempt;
    step.isRunning = true;
    return step;
  }

  /** A part of the visit is done: even if its process is killed now, the visit has made progress. */
  progress(key: string): void {
    const step = this.#steps.get(key);
    if (step === undefined) return;
    step.killed = 0;
    step.isRunning = false;
  }

  /** Is there a question of that id that has no answer yet? */
  isAsked(id: string): boolean {
    for (const { questions } of this.#steps.values()) {
      for (const { question, answer } of Object.values(questions)) {
        if (answer === undefined && question["id"] === id) return true;
      }
    }
    return false;
  }

  /** Has this visit asked it, without an answer so far? */
  isOpenQuestion({ id, key }: QuestionPlace): boolean {
    const asked = Object.values(this.#steps.get(key)?.questions ?? {});
    return asked.some(({ question, answer }) => answer === undefined && question["id"] === id);
  }

  /** The earliest end of a wait, or of a pause before a retry, that is still to come. */
  earliestWake(now: number): number | undefined {
    let earliest: number | undefined;
    for (const { retry, waits } of this.#steps.values()) {
      for (const { until } of retry === undefined ? Object.values(waits) : [retry, ...Object.values(waits)])
        if (until > now && (earliest === undefined || until < earliest)) earliest = until;
    }
    return earliest;
  }

  /** The run stopped cleanly: nothing that runs now counts as killed. */
  interrupt(): void {
    for (const step of this.#steps.values()) step.isRunning = false;
  }

  /**
   * Failures so far don't count against the attempts that a node has, and what is checked after the last node is
   * checked again, whatever passed before.
   */
  allowRetry(): void {
    this.#steps.delete(endingKey);
    for (const step of this.#steps.values()) {
      step.failures = 0;
      step.failedRuns++;
      step.killed = 0;
      step.retry = undefined;
    }
  }

  peek(key: string): OpenStep | undefined {
    return this.#steps.get(key);
  }

  delete(key: string): void {
    this.#steps.delete(key);
  }

  keys(): Iterable<string> {
    return this.#steps.keys();
  }

  toJson(): JsonObject {
    const stored: Record<string, Json> = {};
    for (const [key, step] of this.#steps) {
      const { retry, ...rest } = step;
      stored[key] = { ...rest, notes: [...step.notes], ...(retry === undefined ? {} : { retry }) };
    }
    return stored;
  }

  restore(stored: JsonObject): void {
    for (const [key, value] of Object.entries(stored)) if (isJsonObject(value)) this.#steps.set(key, readStep(value));
  }
}

/** Copied, because what is read from a snapshot may be shared or frozen, and this keeps changing. */
function readStep(stored: JsonObject): OpenStep {
  const { attempts, failures, killed, failedRuns, isRunning, retry, retryAt, notes, values, questions, waits } = stored;
  return {
    attempts: countOf(attempts),
    failures: countOf(failures),
    killed: countOf(killed),
    failedRuns: countOf(failedRuns),
    isRunning: isRunning === true,
    retry: waitOf(retry ?? retryAt),
    notes: Array.isArray(notes) ? notes.map(structuredCopy) : [],
    values: Object.fromEntries(entriesOf(values).map(([name, item]) => [name, structuredCopy(item)])),
    questions: Object.fromEntries(
      entriesOf(questions).flatMap(([name, asked]) => {
        const question = isJsonObject(asked) ? asked["question"] : undefined;
        const answer = isJsonObject(asked) ? asked["answer"] : undefined;
        return isJsonObject(question) ? [[name, { question, ...(answer === undefined ? {} : { answer }) }]] : [];
      }),
    ),
    waits: Object.fromEntries(
      entriesOf(waits).flatMap(([name, written]) => {
        const wait = waitOf(written);
        return wait === undefined ? [] : [[name, wait]];
      }),
    ),
  };
}

function countOf(stored: Json | undefined): number {
  return typeof stored === "number" ? stored : 0;
}

/** Snapshots of earlier versions knew only when a wait ends. */
function waitOf(stored: Json | undefined): DurableWait | undefined {
  if (typeof stored === "number") return { until: stored, forMs: stored, at: 0 };
  if (!isJsonObject(stored)) return undefined;
  const { until, forMs, at } = stored;
  return typeof until === "number" ? { until, forMs: countOf(forMs), at: countOf(at) } : undefined;
}

function structuredCopy(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredCopy(item)]));
}
