// Trust questions that wait for a user, for a front end that shows them when it can: code that needs consent asks
// and waits; the front end shows the first one and answers it. One at a time, in the order they came.

import type { TrustAnswer } from "./run-project.ts";
import type { TrustQuestion } from "./trust.ts";

export interface WaitingTrust {
  readonly question: TrustQuestion;
  answer(answer: TrustAnswer): void;
}

export interface TrustDesk {
  ask(question: TrustQuestion): Promise<TrustAnswer>;
  readonly waiting: WaitingTrust | undefined;
  onChange(listener: () => void): () => void;
  /** The front end is gone: every question is answered with no. */
  close(): void;
}

export function createTrustDesk(): TrustDesk {
  let waiting: readonly WaitingTrust[] = [];
  let isClosed = false;
  const listeners = new Set<() => void>();

  function change(next: readonly WaitingTrust[]): void {
    waiting = next;
    for (const listener of listeners) listener();
  }

  return {
    ask(question) {
      if (isClosed) return Promise.resolve(false);
      return new Promise((resolve) => {
        const own: WaitingTrust = {
          question,
          answer(answer) {
            change(waiting.filter((each) => each !== own));
            resolve(answer);
          },
        };
        change([...waiting, own]);
      });
    },
    get waiting() {
      return waiting[0];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
      for (const each of waiting) each.answer(false);
    },
  };
}
