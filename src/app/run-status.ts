// How a run stands, told truthfully: what its record says last, and whether a process is behind it.

import type { OwnerState } from "../journal/port.ts";
import type { SessionView } from "../workflows/sessions/session-view.ts";

/** `interrupted`: it says that it runs, and nobody runs it. `unreadable`: its record can't be read. */
export type RunStatus = SessionView["status"] | "interrupted" | "unreadable";

export function runStatus(view: Pick<SessionView, "status">, owner: OwnerState): RunStatus {
  return view.status === "running" && owner !== "alive" ? "interrupted" : view.status;
}

export function isResumable(status: RunStatus): boolean {
  return status === "paused" || status === "interrupted";
}
