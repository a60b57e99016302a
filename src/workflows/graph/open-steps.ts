// What is known of steps that have started and not finished: tries, failures, notes, recorded parts, questions.
// It is a fold of the events about them, kept while a run goes on, so that a snapshot can carry it.

import type { Json, JsonObject } from "../../lib/json.ts";

export interface OpenStep {
  /** Tries that were started. */
  attempts: number;
  /** Tries that failed; a try that was killed is not a failure. */
  failures: number;
  /** When the next try is due, after a failure. */
  retryAt: number | undefined;
  readonly notes: Json[];
  /** Values of `ctx.step`, by their name. */
  readonly values: Record<string, Json>;
  /** Questions by id: what was asked, and the answer once there is one. */
  readonly questions: Record<string, { readonly question: JsonObject; answer?: Json }>;
  /** Durable sleeps by name. */
  readonly waits: Record<string, number>;
}

function emptyStep(): OpenStep {
  return { attempts: 0, failures: 0, retryAt: undefined, notes: [], values: {}, questions: {}, waits: {} };
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
      const { retryAt, ...rest } = step;
      stored[key] = { ...rest, notes: [...step.notes], ...(retryAt === undefined ? {} : { retryAt }) };
    }
    return stored;
  }

  restore(stored: JsonObject): void {
    for (const [key, value] of Object.entries(stored)) {
      // Copied, because what is read from a snapshot may be shared or frozen, and this goes on changing.
      const step = structuredCopy(value) as JsonObject as { [K in keyof OpenStep]: never };
      this.#steps.set(key, { ...emptyStep(), ...(step as Partial<OpenStep>) });
    }
  }
}

function structuredCopy(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredCopy(item)]));
}
