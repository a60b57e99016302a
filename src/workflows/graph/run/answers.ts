// Answers that came before their question: those given for the whole run, which serve every question of that name, and
// those a user left for one question, which serve once.

import type { Json } from "../../../lib/json.ts";

export interface Answer {
  readonly value: Json;
  /** Who gave it: `given`, `default`, `handler`, `request`. */
  readonly by: string;
  /** The request it came with. It is kept until the answer is on record, so that a crash in between loses nothing. */
  readonly request?: string | undefined;
}

export class Answers {
  readonly #standing: ReadonlyMap<string, Json>;
  readonly #left = new Map<string, Answer[]>();

  constructor(standing: Readonly<Record<string, Json>> = {}) {
    this.#standing = new Map(Object.entries(standing));
  }

  /** Keeps an answer for the next question of that id or text. */
  leave(name: string, answer: Answer): void {
    const left = this.#left.get(name);
    if (left === undefined) this.#left.set(name, [answer]);
    else left.push(answer);
  }

  /** The answer to a question, by its id or by its text. */
  take(...names: readonly string[]): Answer | undefined {
    for (const name of names) {
      const left = this.#left.get(name)?.shift();
      if (left !== undefined) return left;
      const value = this.#standing.get(name);
      if (value !== undefined) return { value, by: "given" };
    }
    return undefined;
  }
}
