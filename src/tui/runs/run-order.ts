// The order of the runs on the screen, and which of them are shown: those that wait for a user, those that work, the
// rest. Pure.

import type { RunRow } from "./runs-port.ts";

const recentMs = 24 * 3_600_000;

/** Something is asked, or it stopped lately and a user has to say how to proceed. */
export function needsPerson(run: RunRow, now: number): boolean {
  if (run.questions.length > 0 && run.status !== "completed" && run.status !== "cancelled") return true;
  const isStopped = run.status === "failed" || run.status === "interrupted" || run.status === "paused";
  return isStopped && run.reason !== "paused" && now - run.updatedAt < recentMs;
}

export function isWorking({ status }: Pick<RunRow, "status">): boolean {
  return status === "running" || status === "elsewhere";
}

export function orderRuns(runs: readonly RunRow[], now: number): readonly RunRow[] {
  const rank = (run: RunRow): number => {
    if (run.questions.length > 0 && needsPerson(run, now)) return 0;
    if (needsPerson(run, now)) return 1;
    return isWorking(run) ? 2 : 3;
  };
  // By id as a tie-breaker: rows must not jump while two runs write at once.
  return runs.toSorted((a, b) => rank(a) - rank(b) || b.updatedAt - a.updatedAt || a.id.localeCompare(b.id));
}

/** Every word that was typed has to be in it, wherever. */
export function filterRuns(runs: readonly RunRow[], query: string): readonly RunRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return runs;
  return runs.filter(({ id, workflow, status, prompt, cwd, agent }) => {
    const text = `${workflow} ${status} ${prompt} ${cwd} ${id} ${agent}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
