// The end of a program that was started for one answer. A process that it left behind may hold its output open for as
// long as it wants, so "close" is waited for only a moment once the program itself has ended.

import type { ChildProcess } from "node:child_process";
import { endGroup } from "./process-group.ts";

/** For output that is on its way when the program has ended. */
const drainMs = 500;

/** Calls `done` once, when all output that the program wrote has been read. What of its group holds on to it is ended. */
export function afterExit(
  child: ChildProcess,
  done: (code: number | null, signal: NodeJS.Signals | null) => void,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
    clearTimeout(timer);
    if (isDone) return;
    isDone = true;
    done(code, signal);
  };
  child.once("exit", (code, signal) => {
    timer = setTimeout(() => {
      if (child.pid !== undefined) endGroup(child.pid, "SIGKILL");
      child.stdout?.destroy();
      child.stderr?.destroy();
      finish(code, signal);
    }, drainMs);
  });
  child.once("close", finish);
}
