// Starts an agent's program in its own process group, on record, and ends it with everything it started.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { createDeferred } from "../../lib/deferred.ts";
import { within } from "../within.ts";
import type { Environment } from "./child-environment.ts";
import { endGroup, endProcess, isGroupAlive, processesInside, processesMarked } from "./process-group.ts";
import { markName } from "./host-record.ts";
import type { ProcessRegistry } from "./process-registry.ts";

export interface SpawnProgramOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment except the mark. */
  readonly env: Environment;
  /** What it is, for records and errors: `opencode serve`. */
  readonly name: string;
  readonly registry: ProcessRegistry;
  readonly clock: Clock;
  /** A temporary folder that goes with it, should this process be killed. */
  readonly folder?: string | undefined;
  /** Ask the whole group to end, not only the program: for shells, which wait for their children. */
  readonly endsAsGroup?: boolean | undefined;
  /** The program is a sandbox, and what it runs is asked to end: a sandbox that ends kills everything in it. */
  readonly isWrapped?: boolean | undefined;
  /** It has ended, or could not be started. */
  readonly onEnded?: (() => void) | undefined;
}

export interface ProgramExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** What the code that talks to a program knows about it, from its start to its end. */
export interface ProgramLife {
  /** False once it has ended or was asked to. */
  readonly isAlive: boolean;
  /** The last of what it wrote to stderr. */
  readonly stderr: () => string;
  /**
   * Resolves when the program has ended and its output has been read; never rejects. A process that it left behind and
   * that holds its output open is ended first, and not waited for.
   */
  readonly exited: Promise<ProgramExit>;
  /** SIGTERM, then SIGKILL to the whole group after `graceMs`, then to what left the group. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

export interface RunningProgram extends ProgramLife {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** For what a program that died by itself left running. */
const leftGraceMs = 1000;
/** For output that is on its way when every process we know of has ended. */
const drainMs = 500;
const maxStderrChars = 8192;

/** Throws AGENT_UNAVAILABLE when the program can't be started at all. One that dies at once just exits. */
export async function spawnProgram(options: SpawnProgramOptions): Promise<RunningProgram> {
  const program = startProgram(options);
  await program.hasStarted;
  return program;
}

/** A program before it is known to run: what an SDK gets that wants its process at once. */
export interface StartedProgram extends RunningProgram {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Rejects with AGENT_UNAVAILABLE when the program can't be started at all. */
  readonly hasStarted: Promise<void>;
}

export function startProgram(options: SpawnProgramOptions): StartedProgram {
  const record = options.registry.register(options.name, { folder: options.folder });
  const child = spawn(options.file, options.args, {
    cwd: options.cwd,
    env: { ...options.env, [markName]: record.mark },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const closed = createDeferred<void>();
  const exited = createDeferred<ProgramExit>();
  let exit: ProgramExit | undefined;
  const stderr = keepTail(child.stderr);
  // A program that is gone can't be written to; its exit says so already.
  child.stdin.on("error", () => {});
  const started = hasStarted(child, options).catch((error: unknown) => {
    record.ended();
    options.onEnded?.();
    throw error;
  });
  // A caller that awaits it gets the error; no caller has to.
  started.catch(() => {});
  // No pid means that it did not start; signals to 0 would reach this program's own group.
  const pid = child.pid ?? Number.NaN;
  if (child.pid !== undefined) record.started(child.pid);

  /** Whatever carries its mark or is in its group, the program itself included while it runs. */
  const isLeft = (): boolean => isGroupAlive(pid) || processesMarked(markName, record.mark).length > 0;

  /** Signals all of it, and says whether there was anything. */
  function endAll(signal: NodeJS.Signals): boolean {
    const isGroupLeft = isGroupAlive(pid);
    if (isGroupLeft) endGroup(pid, signal);
    const marked = processesMarked(markName, record.mark);
    for (const child of marked) endProcess(child, signal);
    return isGroupLeft || marked.length > 0;
  }

  /** False when nothing is left of a program that has ended. */
  function askToEnd(): boolean {
    // The pid of a program that has ended may be another's by now; its group is its own while anything is in it.
    if (exit !== undefined) return endAll("SIGTERM");
    if (options.isWrapped === true) askInside();
    else if (options.endsAsGroup === true) endGroup(pid, "SIGTERM");
    else endProcess(pid, "SIGTERM");
    return true;
  }

  function askInside(): void {
    const inside = processesInside(pid, processesMarked(markName, record.mark));
    const asked = options.endsAsGroup === true ? inside.all : inside.programs;
    for (const each of asked) endProcess(each, "SIGTERM");
    // It has not come to start its program.
    if (asked.length === 0) endProcess(pid, "SIGTERM");
  }

  async function end(graceMs: number): Promise<void> {
    if (child.pid === undefined) return;
    child.stdin.end();
    // Each look at what is left reads about every process of the machine: no more of them than needed.
    let isAnyLeft = askToEnd();
    for (const until = options.clock.now() + graceMs; isAnyLeft && options.clock.now() < until;) {
      isAnyLeft = isLeft();
      if (isAnyLeft) await options.clock.sleep(20);
    }
    if (isAnyLeft) endAll("SIGKILL");
    await within(closed.promise, Math.max(graceMs, drainMs), options.clock);
    // A process that escaped and holds the pipes open must not keep this program waiting.
    child.stdout.destroy();
    child.stderr.destroy();
    record.ended();
    options.onEnded?.();
  }

  let ending: Promise<void> | undefined;
  let isAlive = true;
  function stop(graceMs: number): Promise<void> {
    isAlive = false;
    return (ending ??= end(graceMs));
  }
  // "close" waits for every process that holds the output open, "exit" for the program alone.
  child.on("exit", (code, signal) => {
    const how = exitOf(code, signal);
    exit = how;
    // A program that dies by itself leaves its tools behind.
    const ended = stop(leftGraceMs);
    void Promise.race([closed.promise, ended]).then(() => exited.resolve(how));
  });
  child.on("close", (code, signal) => {
    closed.resolve();
    // A program that could not be started has no exit.
    if (exit === undefined) exited.resolve(exitOf(code, signal));
  });

  return {
    get isAlive() {
      return isAlive;
    },
    pid,
    child,
    hasStarted: started,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr,
    exited: exited.promise,
    stop,
  };
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): ProgramExit {
  return { exitCode: code ?? undefined, signal: signal ?? undefined };
}

function hasStarted(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  options: SpawnProgramOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) =>
      reject(
        new AtomicError(
          "AGENT_UNAVAILABLE",
          `"${options.file}" can't be started: ${cause.message}. Check that it is there and may be run.`,
          { cause, details: { path: options.file } },
        ),
      ),
    );
  });
}

function keepTail(stream: Readable): () => string {
  let tail = "";
  stream.setEncoding("utf8").on("data", (text: string) => (tail = (tail + text).slice(-maxStderrChars)));
  return () => tail;
}
