// How a run stopped, as a number for scripts (docs/cli.md has the table).

import type { RunResult } from "../../app/runs-start.ts";

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";

export const signalExitCodes: Readonly<Record<StopSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGQUIT: 131,
};

export function exitCodeOf(result: Pick<RunResult, "status" | "reason">, signal: StopSignal | undefined): number {
  if (result.status === "completed") return 0;
  if (result.status !== "paused") return 1;
  switch (result.reason) {
    case "paused":
      return 3;
    case "needs-human":
      return 4;
    case "budget":
      return 5;
    case "interrupted":
    case undefined:
      return signalExitCodes[signal ?? "SIGINT"];
  }
}
