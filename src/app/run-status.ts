// The true status of a run: what its record says last, and whether a process still owns it.

import type { OwnerState, RunInfo } from "../journal/port.ts";
import type { SessionView } from "../workflows/sessions/session-view.ts";

/**
 * `interrupted`: its record says that it runs, and no process does. `elsewhere`: the record says so, and its process
 * is on another machine or in a container that can't be seen from here. `unreadable`: its record can't be read.
 */
export type RunStatus = SessionView["status"] | "interrupted" | "elsewhere" | "unreadable";

export function runStatus(view: Pick<SessionView, "status">, owner: OwnerState): RunStatus {
  if (view.status !== "running" || owner === "alive") return view.status;
  return owner === "unknown" ? "elsewhere" : "interrupted";
}

/** No process owns it, and none will without writing to its journal. */
export function hasNoOwner({ owner }: Pick<RunInfo, "owner">): boolean {
  return owner === "none" || owner === "dead";
}

/** A process works on it, or may: what it is asked to do, it may hear. */
export function mayBeRunning(status: RunStatus): boolean {
  return status === "running" || status === "elsewhere";
}

export function isResumable(status: RunStatus): boolean {
  return status === "paused" || status === "interrupted" || status === "failed";
}

/** Why a paused run has stopped; `answered`: it waited for answers, and has all of them. */
export function pauseReason({ status, view, savedAnswers }: PausedRun): string | undefined {
  if (status !== "paused") return undefined;
  const isAnswered = view.reason === "needs-human" && savedAnswers.length > 0 && view.questions.size === 0;
  return isAnswered ? "answered" : view.reason;
}

interface PausedRun {
  readonly status: RunStatus;
  readonly view: Pick<SessionView, "reason" | "questions">;
  readonly savedAnswers: readonly unknown[];
}
