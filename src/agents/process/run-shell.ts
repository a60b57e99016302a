// A shell command: a real process in its own group, ended with everything it started when its signal aborts.
// Output is passed on in pieces and kept only at its ends, so that 100 MB of it need no more memory than a screenful.

import type { Clock } from "../../lib/clock.ts";
import { maxOutputChars } from "../clip.ts";
import type { Environment } from "./child-environment.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import { inSandbox } from "./sandbox/in-sandbox.ts";
import type { ProgramSandbox } from "./sandbox/program-sandbox.ts";
import { spawnProgram } from "./spawn-program.ts";

export interface ShellOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly registry: ProcessRegistry;
  readonly clock: Clock;
  /** The sandbox for the command; absent: none. */
  readonly sandbox?: ProgramSandbox | undefined;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

export interface ShellResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  /** The signal that ended it. */
  readonly endedBy: string | undefined;
  readonly output: string;
  readonly outputChars: number;
}

/** From SIGTERM to SIGKILL when the turn is interrupted. */
const graceMs = 500;
const noNeeds = { state: [], hosts: [] };

export async function runShell(options: ShellOptions): Promise<ShellResult> {
  const plain = {
    file: "/bin/sh",
    // One stream for both, so that lines come in the order they were written.
    args: ["-c", `exec 2>&1\n${options.command}`],
    cwd: options.cwd,
    env: options.env,
    name: "shell",
    registry: options.registry,
    clock: options.clock,
    endsAsGroup: true,
  };
  const program = await spawnProgram(await inSandbox(options.sandbox, plain, options.cwd, () => noNeeds));
  program.stdin.end();
  const kept = keepEnds();
  program.stdout.setEncoding("utf8").on("data", (text: string) => {
    kept.add(text);
    options.onOutput(text);
  });
  const stop = (): void => void program.stop(graceMs);
  options.signal.addEventListener("abort", stop, { once: true });
  if (options.signal.aborted) stop();
  const { exitCode, signal } = await program.exited;
  options.signal.removeEventListener("abort", stop);
  // What it left running in the background ends with it.
  await program.stop(graceMs);
  return { exitCode, endedBy: signal, ...kept.take() };
}

function keepEnds() {
  let head = "";
  let tail = "";
  let chars = 0;
  return {
    add(text: string): void {
      chars += text.length;
      if (head.length < maxOutputChars) head = (head + text).slice(0, maxOutputChars);
      tail = (tail + text).slice(-maxOutputChars);
    },
    take(): { output: string; outputChars: number } {
      // Up to the length of one end, head and tail are the same text.
      const output =
        chars <= maxOutputChars
          ? head
          : chars <= 2 * maxOutputChars
            ? head + tail.slice(2 * maxOutputChars - chars)
            : `${head}${tail}`;
      return { output, outputChars: chars };
    },
  };
}
