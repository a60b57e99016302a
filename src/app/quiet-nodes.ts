// Nodes that run for a long time without output: each is reported after a while, and again after twice as long, so that
// a user sees where a run is stuck. A node whose agent takes a turn, or that waits for an answer or a time, is not
// quiet: those have their own limits and lines.

import type { RunEvent } from "../events/run-event.ts";
import type { Clock } from "../lib/clock.ts";

export interface QuietNode {
  readonly node: string;
  /** Its visit. */
  readonly key: string;
  readonly quietMs: number;
}

export interface QuietNodesOptions {
  readonly clock: Clock;
  /** 0: nothing is reported. */
  readonly afterMs: number;
  readonly report: (quiet: QuietNode) => void;
}

interface Visit {
  readonly node: string;
  /** When it last showed activity. */
  at: number;
  /** What is open in it and explains the silence: questions, turns. */
  open: number;
  /** It sleeps until then. */
  until: number;
  /** When it is reported next, counted from `at`. */
  dueMs: number;
}

export interface QuietNodes {
  event(event: RunEvent): void;
  close(): void;
}

const opening: ReadonlySet<string> = new Set(["question.asked", "agent.turn-started"]);
const closing: ReadonlySet<string> = new Set(["question.answered", "agent.turn-finished"]);

export function watchQuietNodes({ clock, afterMs, report }: QuietNodesOptions): QuietNodes {
  const visits = new Map<string, Visit>();
  const closed = new AbortController();
  /** A rate limit of the account blocks every agent. */
  let allUntil = 0;

  async function watch(): Promise<void> {
    while (!closed.signal.aborted) {
      await clock.sleep(afterMs / 4, closed.signal).catch(() => undefined);
      if (!closed.signal.aborted) check(clock.now());
    }
  }

  function check(now: number): void {
    for (const [key, visit] of visits) {
      const quietMs = now - Math.max(visit.at, visit.until, allUntil);
      if (visit.open > 0 || quietMs < visit.dueMs || hasInner(key)) continue;
      visit.dueMs = 2 * visit.dueMs;
      report({ node: visit.node, key, quietMs });
    }
  }

  /** A node that runs others does nothing itself. */
  function hasInner(key: string): boolean {
    return [...visits.keys()].some((other) => other.startsWith(`${key}/`));
  }

  function touch(visit: Visit, event: RunEvent): void {
    visit.at = event.at;
    visit.dueMs = afterMs;
    if (opening.has(event.type)) visit.open++;
    if (closing.has(event.type)) visit.open = Math.max(0, visit.open - 1);
    if (event.type === "wait.started") visit.until = event.until;
  }

  if (afterMs > 0) void watch();
  return {
    event(event) {
      if (event.type === "limit.waiting") allUntil = Math.max(allUntil, event.until);
      const key = "key" in event ? event.key : undefined;
      if (key === undefined) return;
      if (event.type === "node.started")
        visits.set(key, { node: event.node, at: event.at, open: 0, until: 0, dueMs: afterMs });
      else if (event.type === "node.finished" || event.type === "node.failed") visits.delete(key);
      else {
        const visit = visits.get(key);
        if (visit !== undefined) touch(visit, event);
      }
    },
    close: () => closed.abort(new Error("the run is over")),
  };
}
