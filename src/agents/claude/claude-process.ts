// One running process of the program: its start, its messages, its end. It is started by spawn-program.ts, so that it is
// on record and ends with everything it started; requests go through claude-control.ts.

import { createDeferred } from "../../lib/deferred.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { listIn, numberIn, parseFields, textIn, fieldsIn, type Fields } from "../fields.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { readLines } from "../process/read-lines.ts";
import { inSandbox } from "../process/sandbox/in-sandbox.ts";
import { startProgram, type ProgramExit } from "../process/spawn-program.ts";
import { type ToolProtocol, toolServerName } from "../tool-protocol.ts";
import { readToolServer, type ToolServer } from "../tool-servers.ts";
import { orLate, within } from "../within.ts";
import { createClaudeControl, type CanUseTool } from "./claude-control.ts";
import type { ClaudeLaunch } from "./claude-launch.ts";
import { claudeNeeds } from "./claude-needs.ts";
import type { ClaudeModelUsage } from "./model-usage.ts";

/** How it ended, for the turn that was under way. */
export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stderr: string;
}

export interface ClaudeModel {
  readonly value: string;
  readonly resolvedModel?: string | undefined;
  readonly displayName: string;
  readonly description: string;
}

export interface ClaudeProcess {
  /** What it said at its start that it can ask. */
  readonly models: readonly ClaudeModel[];
  readonly isAlive: boolean;
  /** Prompts wait in the program for each other; the id comes back with the prompt's result. */
  send(id: string, prompt: string): void;
  interrupt(): Promise<void>;
  setModel(model: string | undefined): Promise<void>;
  contextUsage(): Promise<{ readonly usedTokens: number; readonly maxTokens: number }>;
  servers(): Promise<readonly ToolServer[]>;
  switchServer(name: string, isOn: boolean): Promise<void>;
  /** What the whole session used so far, by model. */
  sessionUsage(): Promise<Readonly<Record<string, ClaudeModelUsage>>>;
  /** Ends it and everything it started. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

export interface ClaudeProcessOptions {
  readonly host: BackendHost;
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly launch: ClaudeLaunch;
  /** The session to resume, for the error if it does not exist. */
  readonly resume: string | undefined;
  readonly canUseTool: CanUseTool;
  readonly tools: ToolProtocol | undefined;
  readonly onMessage: (message: unknown) => void;
  /** The process ended unexpectedly. */
  readonly onHook: (input: Fields) => void;
  readonly onEnd: (end: ProcessEnd) => void;
  /** Rejects when the program is one that can't work: then its start is not waited for. */
  readonly isUsable: Promise<unknown>;
  readonly startLimitMs: number;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

/** Throws AGENT_UNAVAILABLE, or AGENT_SESSION_UNKNOWN when it is to resume a session that is not there. */
export async function startClaudeProcess(input: ClaudeProcessOptions): Promise<ClaudeProcess> {
  const { host, launch } = input;
  const plain = {
    file: input.program,
    args: launch.args,
    cwd: input.cwd,
    env: input.env,
    name: "claude",
    registry: host.registry,
    clock: host.clock,
  };
  const program = startProgram(await inSandbox(host.sandbox, plain, input.cwd, () => claudeNeeds(input.env)));
  const write = (line: string): void => void program.stdin.write(line);
  const { canUseTool, tools, onHook } = input;
  const control = createClaudeControl({ newId: host.newId, write, canUseTool, tools, onHook });
  const refusedStart = createDeferred<never>();
  let isStarted = false;
  let isAlive = true;
  let isStopping = false;

  readLines(program.stdout, (line) => {
    const message = parseFields(line);
    // Programs do print banners and warnings.
    if (message === undefined || control.read(message)) return;
    // Before the first prompt a result can only say why there will be none.
    if (!isStarted && message["type"] === "result") refusedStart.reject(new Error(resultText(message)));
    input.onMessage(message);
  });
  // "close" comes also without "end", when the program is ended by force.
  const isSilent = new Promise<void>((resolve) => program.stdout.once("close", resolve));
  const ended = Promise.race([isSilent, program.exited]);

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    isAlive = false;
    await program.stop(graceMs);
    control.close(new Error("the program was ended"));
    tools?.cancelAll();
  }

  const closed = abortOf(input.signal);
  let initialization: Fields;
  try {
    const started = Promise.race([
      control.request("initialize", launch.initialize),
      refusedStart.promise,
      rejectsOnly(input.isUsable),
      rejectsOnly(program.hasStarted),
      ended.then(() => endedTooSoon(program.exited, input.isUsable)),
      closed.rejected,
    ]);
    initialization = await orLate(started, input.startLimitMs, host.clock, () => new Error("it said nothing in time"));
    isStarted = true;
  } catch (thrown) {
    const said = program.stderr();
    await stop(1000);
    throw startFailure(thrown, input, said);
  } finally {
    closed.forget();
  }

  async function waitForEnd(): Promise<void> {
    await ended;
    isAlive = false;
    if (isStopping) return;
    let exit: ProgramExit | undefined;
    await within(
      program.exited.then((how) => (exit = how)),
      2000,
      host.clock,
    );
    // It may have left tools behind, or still run and say nothing any more.
    await stop(2000);
    input.onEnd({ exitCode: exit?.exitCode, signal: exit?.signal, stderr: program.stderr() });
  }
  void waitForEnd();

  return {
    models: listIn(initialization, "models").flatMap(modelOf),
    get isAlive() {
      return isAlive;
    },
    send(id, prompt) {
      const message = { role: "user", content: prompt };
      write(`${JSON.stringify({ type: "user", uuid: id, message, parent_tool_use_id: null })}\n`);
    },
    async interrupt() {
      await control.request("interrupt");
    },
    async setModel(model) {
      await control.request("set_model", model === undefined ? {} : { model });
    },
    async contextUsage() {
      // "summary" counts from what is known; "full" would ask the model's service for every part.
      const usage = await control.request("get_context_usage", { detail: "summary" });
      return { usedTokens: numberIn(usage, "totalTokens") ?? 0, maxTokens: numberIn(usage, "maxTokens") ?? 0 };
    },
    async servers() {
      const answer = await control.request("mcp_status");
      // The tools of this process are offered as a separate server, which is not one of the agent's.
      return listIn(answer, "mcpServers")
        .filter((each) => each["name"] !== toolServerName)
        .flatMap((each) => readToolServer(each) ?? []);
    },
    async switchServer(serverName, enabled) {
      await control.request("mcp_toggle", { serverName, enabled });
    },
    async sessionUsage() {
      const { session } = await control.request("get_usage", { skip_behaviors: true });
      return fieldsIn(asSession(session), "model_usage") as Readonly<Record<string, ClaudeModelUsage>>;
    },
    stop,
  };
}

function asSession(session: unknown): Fields {
  if (typeof session === "object" && session !== null) return session as Fields;
  throw new Error("it does not say what the session used");
}

function modelOf(fields: Fields): ClaudeModel[] {
  const value = textIn(fields, "value");
  if (value === undefined) return [];
  const displayName = textIn(fields, "displayName") ?? value;
  const description = textIn(fields, "description") ?? "";
  return [{ value, resolvedModel: textIn(fields, "resolvedModel"), displayName, description }];
}

function resultText(result: Fields): string {
  const errors = result["errors"];
  const said = Array.isArray(errors) ? errors.filter((each) => typeof each === "string").join("; ") : "";
  return said === "" ? (textIn(result, "result") ?? "it gave a result before it was asked") : said;
}

/** A program that can't work may end before its version is known, and the reason why it can't says more. */
async function endedTooSoon(exited: Promise<ProgramExit>, isUsable: Promise<unknown>): Promise<never> {
  const { exitCode, signal } = await exited;
  await isUsable;
  throw new Error(`it ended before it answered (${signal ?? `exit code ${exitCode}`})`);
}

function startFailure(thrown: unknown, input: ClaudeProcessOptions, stderr: string): unknown {
  if (AtomicError.is(thrown)) return thrown;
  const message = messageOf(thrown);
  const { resume, program, cwd } = input;
  if (resume !== undefined && /no conversation found|--resume requires/i.test(`${message} ${stderr}`))
    return new AtomicError(
      "AGENT_SESSION_UNKNOWN",
      `Claude has no session ${resume} for the folder ${cwd}. Start a new one.`,
      { cause: thrown, details: { agent: "claude", session: resume } },
    );
  const said = stderr.trim() === "" || message.includes(stderr.trim()) ? "" : ` It said: ${stderr.trim().slice(-1000)}`;
  return new AtomicError("AGENT_UNAVAILABLE", `Claude (${program}) did not start: ${message}.${said}`, {
    cause: thrown,
    details: { agent: "claude", path: program },
  });
}

/** For a race that only a failure of this may decide. */
function rejectsOnly(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => void work.catch(reject));
}

/** The client outlives its sessions: none of them may keep listening to it. */
function abortOf(signal: AbortSignal): { readonly rejected: Promise<never>; readonly forget: () => void } {
  const { promise, reject } = createDeferred<never>();
  const abort = (): void => reject(new AtomicError("AGENT_SESSION_CLOSED", 'The client of "claude" was closed.'));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { rejected: promise, forget: () => signal.removeEventListener("abort", abort) };
}
