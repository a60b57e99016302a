// What a backend provides for the contract suite (agent-contract.ts), and what all cases share: reading a turn while
// checking the guarantees of the port.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isTerminal, type AgentEvent, type TerminalEvent } from "../../agents/events.ts";
import type { AgentClient, AgentSession, OpenOptions, TurnOptions } from "../../agents/port.ts";
import { isSystemError } from "../../lib/atomic-file.ts";
import type { SeenRequest } from "../model-server/model-server.ts";
import type { ContractScenario } from "./agent-scenarios.ts";

export interface AgentHarness {
  /** Shared by the cases: a real program is started once per suite. */
  readonly client: AgentClient;
  /** A fresh, empty folder to work in. */
  readonly newFolder: () => string;
  /** The prompt that makes the agent play the scenario in the folder. */
  readonly prompt: (scenario: ContractScenario, folder: string) => string;
  /** What `open` needs besides the folder: a model, limits. */
  readonly open: Partial<OpenOptions>;
  /** How long to wait for a silent model: longer than the program takes to send its first request. */
  readonly silenceMs: number;
  /** Another model that a turn may request. */
  readonly otherModel: string;
  /** Another client over the same home, as a new process would create it. The case closes it. */
  readonly newClient: () => Promise<AgentClient>;
  /**
   * The command of a program that opens a session in the folder, runs the prompt and stays alive until the case kills
   * it.
   * `env` is its whole environment. Undefined for agents that start no process.
   */
  readonly hostCommand: (
    folder: string,
    prompt: string,
  ) =>
    | { readonly file: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
    | undefined;
  /** Ends the processes that a killed program left, as its next start does. */
  readonly reap: () => Promise<void>;
  /** Writes a project's own settings to the folder. They create the returned files if they take effect. */
  readonly plantProject: (folder: string) => Promise<{
    readonly traces: readonly string[];
    /** True if no session can be opened without trust. */
    readonly isRefused?: boolean;
  }>;
  /** The requests to the model so far; undefined if there is no model server. */
  readonly requests: () => readonly SeenRequest[] | undefined;
}

export interface TurnRecord<End extends TerminalEvent = TerminalEvent> {
  readonly events: readonly AgentEvent[];
  readonly end: End;
}

export function openSession(
  harness: AgentHarness,
  folder: string,
  options: Partial<OpenOptions> = {},
): Promise<AgentSession> {
  return harness.client.open({
    cwd: folder,
    ...harness.open,
    ...options,
    limits: { ...harness.open.limits, ...options.limits },
  });
}

/** Reads a turn to its end, however it ends, and checks what holds for every turn of every backend. */
export async function readTurn(
  session: AgentSession,
  prompt: string,
  options: TurnOptions & { readonly onEvent?: (event: AgentEvent) => void } = {},
): Promise<TurnRecord> {
  const events: AgentEvent[] = [];
  for await (const event of session.turn(prompt, options)) {
    events.push(event);
    options.onEvent?.(event);
  }
  const end = events.at(-1);
  assert.ok(end !== undefined && isTerminal(end), `the last event is terminal, not ${end?.type}`);
  assert.equal(events.filter(isTerminal).length, 1, "there is one terminal event");
  assert.equal(events[0]?.type, "turn.started", "the first event is turn.started");
  assert.ok(
    events.every((event) => event.sessionId === session.id && event.turnId === end.turnId),
    "every event names its session and turn",
  );
  checkOpenAndClose(events);
  return { events, end };
}

/** Checks that events of a tool or sub-agent come between its start and its end, and that all of them end. */
function checkOpenAndClose(events: readonly AgentEvent[]): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "tool.started") open.add(`tool ${event.toolCallId}`);
    if (event.type === "tool.finished")
      assert.ok(open.delete(`tool ${event.toolCallId}`), "a tool ends once, after its start");
    if (event.type === "subagent.started") open.add(`agent ${event.agentId}`);
    else if (event.agentId !== undefined && event.type !== "tool.finished")
      assert.ok(open.has(`agent ${event.agentId}`), `${event.type} of a sub-agent comes while it runs`);
    if (event.type === "subagent.finished") open.delete(`agent ${event.agentId}`);
    if (event.type === "question.asked") open.add(`question ${event.question.id}`);
    if (event.type === "question.answered" || event.type === "question.declined")
      assert.ok(open.delete(`question ${event.questionId}`));
  }
  assert.deepEqual([...open], [], "nothing stays open");
}

export async function completeTurn(
  session: AgentSession,
  prompt: string,
  options: Parameters<typeof readTurn>[2] = {},
): Promise<TurnRecord> {
  const record = await readTurn(session, prompt, options);
  assert.equal(record.end.type, "turn.completed", `the turn completes, and did not: ${describeEnd(record.end)}`);
  return record;
}

export function describeEnd(end: TerminalEvent): string {
  return end.type === "turn.failed" ? `${end.failure.kind}: ${end.failure.message}` : end.type;
}

export function ofType<Type extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}

/** Polls; fails with `what` when the condition does not hold within the limit. */
export async function eventually(what: string, condition: () => boolean, limitMs = 15_000): Promise<void> {
  const until = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > until) assert.fail(`within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Live processes whose working folder or command line is in the folder. */
export function processesOf(folder: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        if (/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))) return false;
        return (
          readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(folder) ||
          readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
        );
      } catch (thrown) {
        // Ended since, or owned by another user.
        if (!isSystemError(thrown)) throw thrown;
        return false;
      }
    });
}
