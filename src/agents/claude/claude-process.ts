// One running process of the program, driven through the SDK: its start, its messages, its end. It is started by
// spawn-program.ts, so that it is on record and ends with everything it started; the SDK gets the process to talk to.

import { createDeferred } from "../../lib/deferred.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { startProgram, type ProgramExit, type StartedProgram } from "../process/spawn-program.ts";
import { createEventQueue } from "../event-queue.ts";
import { orLate, within } from "../within.ts";
import { divideOutput } from "./program-output.ts";
import type { ClaudeInitialization, ClaudeOptions, ClaudePrompt, ClaudeQuery, ClaudeSdk } from "./sdk.ts";

/** How it ended, for the turn that was under way. */
export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stderr: string;
}

export interface ClaudeProcess {
  readonly query: ClaudeQuery;
  readonly initialization: ClaudeInitialization;
  readonly isAlive: boolean;
  /** Prompts wait in the program for each other; the id comes back with the prompt's result. */
  send(id: ClaudePrompt["uuid"], prompt: string): void;
  /** Ends it and everything it started. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

export interface ClaudeProcessOptions {
  readonly sdk: ClaudeSdk;
  readonly host: BackendHost;
  /** Everything but the way to start a process. */
  readonly options: (spawn: ClaudeOptions["spawnClaudeCodeProcess"]) => ClaudeOptions;
  readonly onMessage: (message: unknown) => void;
  /** The process ended without being told to. */
  readonly onEnd: (end: ProcessEnd) => void;
  /** Rejects when the program is one that can't work: then its start is not waited for. */
  readonly isUsable: Promise<unknown>;
  readonly startLimitMs: number;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

/** Throws AGENT_UNAVAILABLE, or AGENT_SESSION_UNKNOWN when it is to resume a session that is not there. */
export async function startClaudeProcess(input: ClaudeProcessOptions): Promise<ClaudeProcess> {
  const { sdk, host } = input;
  const prompts = createEventQueue<ClaudePrompt>({ onStart: () => {}, onAbandoned: async () => {} });
  let program: StartedProgram | undefined;
  let isAlive = true;
  let isStopping = false;

  const options = input.options(({ command, args, cwd, env }) => {
    program = startProgram({
      file: command,
      args,
      cwd: cwd ?? options.cwd,
      env: withoutUndefined(env),
      name: "claude",
      registry: host.registry,
      clock: host.clock,
    });
    return divideOutput(program.child, input.onMessage);
  });
  const query = sdk.query({ prompt: prompts.iterable, options });

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    isAlive = false;
    prompts.end();
    await program?.stop(graceMs);
    // What is left to the SDK: requests that will never be answered, and the servers of this process.
    query.close();
  }

  const closed = abortOf(input.signal);
  let initialization: ClaudeInitialization;
  try {
    const started = Promise.race([
      query.initializationResult(),
      rejectsOnly(input.isUsable),
      rejectsOnly(program?.hasStarted),
      closed.rejected,
    ]);
    initialization = await orLate(started, input.startLimitMs, host.clock, () => new Error("it said nothing in time"));
  } catch (thrown) {
    const said = program?.stderr() ?? "";
    await stop(1000);
    throw startFailure(thrown, options, said);
  } finally {
    closed.forget();
  }

  async function waitForEnd(): Promise<void> {
    try {
      // All of them were read where they came in.
      for await (const _ of query);
    } catch {
      // The SDK throws when the program ends badly. How it ended is asked below, where it is known better.
    }
    isAlive = false;
    if (isStopping) return;
    let exit: ProgramExit | undefined;
    const exited = program?.exited.then((how) => (exit = how));
    await within(exited ?? Promise.resolve(), 2000, host.clock);
    // It may have left tools behind, or still run and talk nonsense.
    await stop(2000);
    input.onEnd({ exitCode: exit?.exitCode, signal: exit?.signal, stderr: program?.stderr() ?? "" });
  }
  void waitForEnd();

  return {
    query,
    initialization,
    get isAlive() {
      return isAlive;
    },
    send(id, prompt) {
      prompts.push({ type: "user", uuid: id, message: { role: "user", content: prompt }, parent_tool_use_id: null });
    },
    stop,
  };
}

function startFailure(thrown: unknown, options: ClaudeOptions, stderr: string): unknown {
  if (AtomicError.is(thrown)) return thrown;
  const message = messageOf(thrown).replace(/^Claude Code returned an error result: /, "");
  if (options.resume !== undefined && /no conversation found|--resume requires/i.test(`${message} ${stderr}`))
    return new AtomicError(
      "AGENT_SESSION_UNKNOWN",
      `Claude has no session ${options.resume} for the folder ${options.cwd}. Start a new one.`,
      { cause: thrown, details: { agent: "claude", session: options.resume } },
    );
  const said = stderr.trim() === "" || message.includes(stderr.trim()) ? "" : ` It said: ${stderr.trim().slice(-1000)}`;
  return new AtomicError(
    "AGENT_UNAVAILABLE",
    `Claude (${options.pathToClaudeCodeExecutable}) did not start: ${message}.${said}`,
    { cause: thrown, details: { agent: "claude", path: options.pathToClaudeCodeExecutable } },
  );
}

/** For a race that only a failure of this may decide. */
function rejectsOnly(work: Promise<unknown> | undefined): Promise<never> {
  return new Promise((_, reject) => void work?.catch(reject));
}

/** The client outlives its sessions by far: none of them may go on listening to it. */
function abortOf(signal: AbortSignal): { readonly rejected: Promise<never>; readonly forget: () => void } {
  const { promise, reject } = createDeferred<never>();
  const abort = (): void => reject(new AtomicError("AGENT_SESSION_CLOSED", 'The client of "claude" was closed.'));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { rejected: promise, forget: () => signal.removeEventListener("abort", abort) };
}

function withoutUndefined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
