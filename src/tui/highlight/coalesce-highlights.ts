// Requests to highlight a text that is still growing. OpenTUI posts the whole text again with each piece and drops
// answers that came too late; a worker that gets all of them falls behind and keeps every text in memory. Here at most
// one request of a growing text is under way, only the newest waits, and the worker rests between two in proportion to
// what the last one took: highlighting costs a fixed share of a core, however long the text gets.

export interface Highlighted<Mark> {
  readonly highlights?: Mark[];
  readonly warning?: string;
  readonly error?: string;
}

export type Highlight<Mark> = (content: string, filetype: string) => Promise<Highlighted<Mark>>;

export interface CoalesceTiming {
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** Shorter texts cost less than tracking them. */
const shortest = 256;
const minRestMs = 50;
/** A multiple of the time that the last request took. */
const restFactor = 4;
const maxRestMs = 1000;

interface Waiting<Mark> {
  readonly content: string;
  readonly answer: (result: Highlighted<Mark>) => void;
  readonly fail: (reason: unknown) => void;
}

/** One text that grows. */
interface Growing<Mark> {
  readonly filetype: string;
  /** What was asked for last. */
  newest: string;
  waiting: Waiting<Mark> | undefined;
}

export function coalesceHighlights<Mark>(send: Highlight<Mark>, { now, wait }: CoalesceTiming): Highlight<Mark> {
  const growing = new Set<Growing<Mark>>();

  async function serve(text: Growing<Mark>): Promise<void> {
    while (text.waiting !== undefined) {
      const { content, answer, fail } = text.waiting;
      text.waiting = undefined;
      const startedAt = now();
      await send(content, text.filetype).then(answer, fail);
      const tookMs = Math.max(0, now() - startedAt);
      await wait(Math.min(maxRestMs, Math.max(minRestMs, tookMs * restFactor)));
    }
    growing.delete(text);
  }

  return (content, filetype) => {
    if (content.length < shortest) return send(content, filetype);
    const known = [...growing].find((text) => text.filetype === filetype && content.startsWith(text.newest));
    return new Promise((answer, fail) => {
      const waiting = { content, answer, fail };
      if (known === undefined) {
        const text: Growing<Mark> = { filetype, newest: content, waiting };
        growing.add(text);
        void serve(text);
        return;
      }
      // Its text is shown no longer: the answer would be dropped.
      known.waiting?.answer({ warning: "superseded" });
      known.newest = content;
      known.waiting = waiting;
    });
  };
}
