// What a user reads when a command fails: the code, what happened, what to do; and the exit code that goes with it.

import { systemCode } from "../lib/atomic-file.ts";
import { AtomicError, type ErrorCode } from "../lib/errors.ts";
import { safeText } from "../lib/safe-text.ts";
import { runAdvice } from "./run-advice.ts";

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/** Invalid usage. */
const wrongUsage: ReadonlySet<ErrorCode> = new Set([
  ...(["USAGE", "AGENT_UNKNOWN", "RUN_ID_INVALID", "WORKFLOW_NOT_FOUND", "TASKS_DONE_EARLIER", "FOLDER_BUSY"] as const),
]);

export function describeFailure(thrown: unknown): Failure {
  if (AtomicError.is(thrown)) {
    const advice = runAdvice(thrown);
    return {
      text: safeText(`atomic: ${thrown.code}: ${thrown.message}${advice === undefined ? "" : ` ${advice}`}`),
      exitCode: wrongUsage.has(thrown.code) ? 2 : 1,
    };
  }
  const refused = systemRefusal(thrown);
  if (refused !== undefined) return describeFailure(refused);
  // Only we can fix this, and we need to know where it was.
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { text: safeText(`atomic: this should not happen, please report it.\n${stack}`), exitCode: 1 };
}

/** Failures of the disk or file system, and what helps. */
const refusals: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only. Make it writable, or use another place",
  EACCES: "permission denied. Change its permissions, or use another place",
  EPERM: "the system does not allow it. Change its permissions, or use another place",
  ENOSPC: "the disk is full. Free some space",
  EDQUOT: "your quota is used up. Free some space",
  EIO: "the disk reports an error. Check its health",
  EMFILE: "too many files are open. Raise the limit (`ulimit -n 1024`)",
  ENFILE: "the system has too many files open. Close other programs",
  ESTALE: "the network drive has lost the file. Mount it again",
  ENOTCONN: "the file system is not connected. Mount it again",
};

/** What only the user can fix: their disk, their permissions. */
function systemRefusal(thrown: unknown): AtomicError | undefined {
  const code = systemCode(thrown) ?? "";
  const advice = refusals[code];
  if (advice === undefined || !(thrown instanceof Error)) return undefined;
  const path = "path" in thrown && typeof thrown.path === "string" ? thrown.path : undefined;
  const what = path === undefined ? thrown.message : `${path} can't be used (${code}): ${advice}`;
  return new AtomicError("FILE_FAILED", `${what}. ATOMIC_HOME moves what Atomic keeps for itself.`, { cause: thrown });
}
