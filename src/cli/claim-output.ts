// Keeps standard output for the program's own results. Workflow files, agents' packages and the programs that they start
// may print anything; once claimed, all of that goes to standard error.

import { closeSync, openSync } from "node:fs";
import { loadLibc, type Libc } from "../lib/libc.ts";

/** Closes the descriptor in programs that are started: `ioctl(fd, FIOCLEX)`. */
const closeOnExec: Readonly<Partial<Record<NodeJS.Platform, number>>> = { linux: 0x5451, darwin: 0x20006601 };

/** The descriptor that leads to standard output from now on. Call it once. */
export function claimOutput(libc: Libc | null = loadLibc() ?? null): number {
  const copy = libc?.dup(1) ?? -1;
  if (libc === null || copy === -1) {
    redirectStreams();
    return 1;
  }
  libc.ioctl(copy, closeOnExec[process.platform] ?? 0);
  if (libc.dup2(2, 1) === -1) discardOutput(libc);
  return copy;
}

/** There is no standard error either. */
function discardOutput(libc: Libc): void {
  const devNull = openSync("/dev/null", "w");
  libc.dup2(devNull, 1);
  closeSync(devNull);
}

/**
 * Without a C library: what JavaScript itself offers for printing. Programs that inherit standard output still reach
 * it.
 */
function redirectStreams(): void {
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  const { Console } = process.getBuiltinModule("node:console");
  Object.assign(console, new Console(process.stderr, process.stderr));
}
