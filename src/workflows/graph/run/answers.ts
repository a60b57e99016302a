// Answers that came before their question: those given for the whole run, which serve every question of that name,
// those left for the next question of a name, and those kept for one question, which is open and not asked again yet
// (after a resume). The last two serve once.

import type { Json } from "../../../lib/json.ts";
import type { QuestionPlace } from "../model/question-place.ts";

export interface Answer {
  readonly value: Json;
  /** Who gave it: `given`, `default`, `handler`, `request`. */
  readonly by: string;
  /** The request it came with. It is kept until the answer is on record, so that a crash in between loses nothing. */
  readonly request?: string | undefined;
  /** The question gets its default instead of `value`. */
  readonly isDeclined?: boolean | undefined;
}

export class Answers {
  readonly #standing: ReadonlyMap<string, Json>;
  readonly #left = new Map<string, Answer[]>();
  readonly #kept = new Map<string, Answer[]>();

  constructor(standing: Readonly<Record<string, Json>> = {}) {
    this.#standing = new Map(Object.entries(standing));
  }

  /** Keeps an answer for the next question of that id or text. */
  leave(name: string, answer: Answer): void {
    add(this.#left, name, answer);
  }

  /** Keeps an answer for this question only. */
  keep(question: QuestionPlace, answer: Answer): void {
    add(this.#kept, placeName(question), answer);
  }

  /** The answers that were kept for this question, the oldest first. Each is given out once. */
  *takeKept(question: QuestionPlace): Generator<Answer, void> {
    const place = placeName(question);
    const kept = this.#kept.get(place);
    if (kept === undefined) return;
    for (let next = kept.shift(); next !== undefined; next = kept.shift()) yield next;
    this.#kept.delete(place);
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

function add(answers: Map<string, Answer[]>, name: string, answer: Answer): void {
  const before = answers.get(name);
  if (before === undefined) answers.set(name, [answer]);
  else before.push(answer);
}

function placeName({ id, key }: QuestionPlace): string {
  return JSON.stringify([key, id]);
}
