// Named sub-agents that this program starts itself: each a fresh session that ends with its turn, at most so many at
// once. Their events come as those of sub-agents, so that one fold makes the tree, whoever started them.

import { createEventQueue } from "./event-queue.ts";
import { isTerminal, type AgentEvent, type TerminalEvent } from "./events.ts";
import { failureOf } from "./failures.ts";
import type { AgentClient, OpenOptions, TurnOptions } from "./port.ts";
import { createSemaphore } from "./semaphore.ts";
import { noUsage } from "./usage.ts";

export interface SpawnOptions {
  readonly open: OpenOptions;
  readonly prompt: string;
  readonly turn?: Omit<TurnOptions, "signal"> | undefined;
  /** The sub-agent that asks for it, when it is not the run itself. */
  readonly parentId?: string | undefined;
  /** The session is open and its turn begins: the moment to note its id. */
  readonly onOpen?: ((sessionId: string) => void | Promise<void>) | undefined;
}

export interface AgentBridge {
  /** The events of the sub-agent, its start and end around them; the terminal event of its turn is the last. */
  spawn(options: SpawnOptions, signal?: AbortSignal): AsyncIterable<AgentEvent>;
  /** The same for several, mixed as they happen; one terminal event for each, told apart by `agentId`, in the order of the list. */
  spawnParallel(list: readonly SpawnOptions[], signal?: AbortSignal): AsyncIterable<AgentEvent>;
}

export interface AgentBridgeOptions {
  readonly client: AgentClient;
  readonly newId: () => string;
  /** How many sessions run at once, over all calls. */
  readonly concurrency?: number | undefined;
}

export const defaultConcurrency = 4;

export function createAgentBridge({
  client,
  newId,
  concurrency = defaultConcurrency,
}: AgentBridgeOptions): AgentBridge {
  const places = createSemaphore(concurrency);

  /** Never throws: what goes wrong before there is a turn is told as its failure. */
  async function run(
    options: SpawnOptions,
    agentId: string,
    signal: AbortSignal,
    emit: (event: AgentEvent) => void,
  ): Promise<TerminalEvent> {
    const session = await client.open(options.open);
    try {
      await options.onOpen?.(session.id);
      let end: TerminalEvent | undefined;
      for await (const event of session.turn(options.prompt, { ...options.turn, signal })) {
        if (event.type === "turn.started") emit(started(options, agentId, event));
        if (isTerminal(event)) end = { ...event, agentId };
        else emit(asSubagent(event, agentId));
      }
      if (end === undefined) throw new Error("a turn ended without its terminal event");
      return end;
    } finally {
      await session.close();
    }
  }

  async function runOne(
    options: SpawnOptions,
    signal: AbortSignal,
    emit: (event: AgentEvent) => void,
  ): Promise<TerminalEvent> {
    const agentId = newId();
    const end = await places
      .run(() => run(options, agentId, signal, emit), signal)
      .catch((thrown: unknown) => withoutTurn(thrown, options, agentId, signal.aborted));
    const outcome = end.type === "turn.completed" ? "completed" : end.type === "turn.failed" ? "failed" : "interrupted";
    if (end.turnId === "") emit(started(options, agentId, end));
    emit({ type: "subagent.finished", sessionId: end.sessionId, turnId: end.turnId, agentId, outcome, text: end.text });
    return end;
  }

  function spawnParallel(list: readonly SpawnOptions[], outer?: AbortSignal): AsyncIterable<AgentEvent> {
    const left = new AbortController();
    const signal = outer === undefined ? left.signal : AbortSignal.any([outer, left.signal]);
    let done: Promise<void> = Promise.resolve();
    const queue = createEventQueue<AgentEvent>({
      onStart() {
        done = Promise.all(list.map((options) => runOne(options, signal, (event) => queue.push(event)))).then(
          (ends) => {
            for (const end of ends) queue.push(end);
            queue.end();
          },
        );
      },
      async onAbandoned() {
        left.abort();
        await done;
      },
    });
    return queue.iterable;
  }

  return { spawn: (options, signal) => spawnParallel([options], signal), spawnParallel };
}

function started(
  options: SpawnOptions,
  agentId: string,
  ids: { readonly sessionId: string; readonly turnId: string },
): AgentEvent {
  const { sessionId, turnId } = ids;
  const name = options.open.agent?.name ?? "agent";
  return {
    type: "subagent.started",
    sessionId,
    turnId,
    agentId,
    parentId: options.parentId,
    name,
    task: options.prompt,
    isBackground: false,
  };
}

/** What the session's own agent does is the sub-agent's; its own sub-agents are children of it. */
function asSubagent(event: AgentEvent, agentId: string): AgentEvent {
  if (event.type === "subagent.started") return { ...event, parentId: event.parentId ?? agentId };
  return event.agentId === undefined ? { ...event, agentId } : event;
}

function withoutTurn(thrown: unknown, options: SpawnOptions, agentId: string, isAborted: boolean): TerminalEvent {
  const facts = {
    sessionId: "",
    turnId: "",
    agentId,
    text: "",
    modelAsked: options.open.model,
    modelServed: undefined,
    usage: noUsage,
    durationMs: 0,
  };
  if (isAborted) return { ...facts, type: "turn.interrupted", by: "caller", isUnanswered: false };
  return { ...facts, type: "turn.failed", failure: failureOf(thrown) };
}
