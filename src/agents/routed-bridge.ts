// A run with several agents: each call goes to the backend that its node names, or to the first of the run's order that
// is not out (outages.ts). When a backend turns out to be out, the same call goes to the next; when all are, its failure
// is returned with the earliest time at which one is back, and waiting is the caller's business. A session belongs to
// its backend: an interrupted try continues where it began, if it can.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import type { AgentCallContext, SubagentSpawnOptions } from "../workflows/graph/model/bridge.ts";
import { callContextWith } from "../workflows/graph/model/call-context.ts";
import { clientOf, defaultAgentType } from "./client-source.ts";
import { turnFailure } from "./failures.ts";
import { Outages, type Outage } from "./outages.ts";
import type { AgentClient } from "./port.ts";
import { readSessionNote } from "./session-notes.ts";
import type { AgentTurnResult, AgentWorkflowBridge } from "./workflow-bridge.ts";

export interface RoutedBridgeOptions {
  /** The run's agents in order of preference; at least one. Asked for with the first call that names no type. */
  readonly preferred: () => Promise<readonly AgentClient[]>;
  /** The client of a type that a node names. Throws if there is none. */
  readonly clientOf: (agentType: string) => Promise<AgentClient>;
  /** The bridge to one client; asked for once for each. */
  readonly connect: (client: AgentClient, isOfFirstKind: boolean) => AgentWorkflowBridge;
  readonly clock: Clock;
  readonly outages?: Outages | undefined;
}

interface Failed {
  readonly client: AgentClient;
  readonly outage: Outage;
  readonly result: AgentTurnResult;
}

export function createRoutedBridge(options: RoutedBridgeOptions): AgentWorkflowBridge {
  const { clock, outages = new Outages() } = options;
  const bridges = new Map<AgentClient, AgentWorkflowBridge>();
  /** Which backend took the last turn of a named session. */
  const lastOf = new Map<string, AgentClient>();
  let preferred: Promise<readonly AgentClient[]> | undefined;

  async function order(): Promise<readonly AgentClient[]> {
    return (preferred ??= options.preferred());
  }

  /** Two clients of one kind, such as two accounts, are out each by itself: the second is called `claude#2`. */
  async function nameOf(client: AgentClient): Promise<string> {
    const index = (await order()).filter(({ kind }) => kind === client.kind).indexOf(client);
    return index <= 0 ? client.kind : `${client.kind}#${index + 1}`;
  }

  async function bridgeTo(client: AgentClient): Promise<AgentWorkflowBridge> {
    const known = bridges.get(client);
    if (known !== undefined) return known;
    const isOfFirstKind = preferred === undefined || (await preferred)[0]?.kind === client.kind;
    // Another call may have made it meanwhile.
    const bridge = bridges.get(client) ?? options.connect(client, isOfFirstKind);
    bridges.set(client, bridge);
    return bridge;
  }

  async function candidates(call: SubagentSpawnOptions): Promise<readonly AgentClient[]> {
    if (call.clientProvider !== undefined)
      return [await clientOf(call.clientProvider, call.agentType ?? defaultAgentType)];
    if (call.agentType !== undefined) return [await options.clientOf(call.agentType)];
    const all = await order();
    if (all.length === 1) return all;
    const begun = call.context?.attempt.previousNotes
      .map(readSessionNote)
      .findLast((note) => note?.session === call.session);
    const own = all.filter(({ kind }) => kind === begun?.agent);
    return [...own, ...all.filter((client) => !own.includes(client))];
  }

  async function spawn(call: SubagentSpawnOptions, signal?: AbortSignal): Promise<AgentTurnResult> {
    const chosen = await candidates(call);
    const [only] = chosen;
    if (only !== undefined && chosen.length === 1) return take(only, call, signal);
    const clients = await Promise.all(chosen.map(async (client) => ({ client, name: await nameOf(client) })));
    const failed: Failed[] = [];
    let next = call;
    for (const [index, { client, name }] of clients.entries()) {
      const known = outages.of(name, clock.now());
      if (known !== undefined) {
        failed.push({ client, outage: known, result: failureOf(known) });
        continue;
      }
      const trace = traced(next);
      const result = await take(client, trace.call, signal).catch(asUnavailable);
      if (!Outages.isOutage(result.failure, result.isUnavailable === true)) {
        if (result.success && outages.completed(name)) emitReturned(call.context, name);
        return result;
      }
      const failure = result.failure ?? turnFailure("crashed", result.error ?? "it gave no reason");
      const outage = outages.add(name, failure, result.isUnavailable === true, clock.now());
      failed.push({ client, outage, result });
      const follower = clients.slice(index + 1).find((each) => outages.of(each.name, clock.now()) === undefined);
      if (follower !== undefined) emitSwitched(call, name, follower.name, outage);
      signal?.throwIfAborted();
      if (trace.hasActed()) next = { ...call, task: takenOver(call.task) };
    }
    return earliest(failed);
  }

  async function take(
    client: AgentClient,
    call: SubagentSpawnOptions,
    signal: AbortSignal | undefined,
  ): Promise<AgentTurnResult> {
    const bridge = await bridgeTo(client);
    if (call.session !== undefined) lastOf.set(call.session, client);
    return bridge.spawn(call, signal);
  }

  /** The bridge that knows a named session best: that of its last turn, else that of the preferred agent. */
  async function bridgeOfSession(name: string): Promise<AgentWorkflowBridge | undefined> {
    const client = lastOf.get(name) ?? (await order())[0];
    return client === undefined ? undefined : bridgeTo(client);
  }

  return {
    spawn,
    spawnParallel: (list, signal) => Promise.all(list.map((call) => spawn(call, signal))),
    contextUsage: async (name) => (await bridgeOfSession(name))?.contextUsage(name),
    async clearSession(name) {
      // All of them: whichever takes the next turn starts fresh.
      await Promise.all((await order()).map(async (client) => (await bridgeTo(client)).clearSession(name)));
      await Promise.all([...bridges.values()].map((bridge) => bridge.clearSession(name)));
    },
    compactSession: async (name) => (await bridgeOfSession(name))?.compactSession(name),
    async close() {
      await Promise.all([...bridges.values()].map((bridge) => bridge.close()));
    },
  };
}

/** A program that is missing, or that needs a trusted project, is out; anything else that was thrown is the caller's. */
function asUnavailable(thrown: unknown): AgentTurnResult {
  if (!AtomicError.is(thrown, "AGENT_NEEDS_TRUST") && !AtomicError.is(thrown, "AGENT_UNAVAILABLE")) throw thrown;
  const failure = turnFailure("crashed", thrown.message, { retryable: false });
  return { success: false, output: "", error: thrown.message, failure, isUnavailable: true };
}

function failureOf({ kind, message, until }: Outage): AgentTurnResult {
  const isUnavailable = kind === "unavailable";
  const known = kind === "rate_limited" || kind === "overloaded" || kind === "auth" || kind === "budget";
  const failure = turnFailure(known ? kind : "crashed", message, until === undefined ? {} : { resetAt: until });
  return { success: false, output: "", error: message, failure, isUnavailable };
}

/** All are out: the failure of the one that is back first, with that time. Without such a time, of the preferred one. */
function earliest(failed: readonly Failed[]): AgentTurnResult {
  const waiting = failed.filter(({ outage }) => outage.until !== undefined);
  const [first] = waiting.toSorted((a, b) => (a.outage.until ?? 0) - (b.outage.until ?? 0));
  if (first === undefined) {
    const [preferred] = failed;
    if (preferred === undefined) throw new Error("a run without an agent");
    return preferred.result;
  }
  const { failure } = first.result;
  const resetAt = first.outage.until;
  return failure === undefined ? first.result : { ...first.result, failure: { ...failure, resetAt } };
}

function emitSwitched(call: SubagentSpawnOptions, from: string, to: string, outage: Outage): void {
  call.context?.record({
    type: "agent.switched",
    from,
    to,
    kind: outage.kind,
    message: outage.message,
    until: outage.until ?? null,
    task: call.taskId ?? null,
  });
}

function emitReturned(context: AgentCallContext | undefined, agent: string): void {
  context?.record({ type: "agent.returned", agent });
}

/** The call, and whether the agent said or did anything in it. */
function traced(call: SubagentSpawnOptions): { readonly call: SubagentSpawnOptions; hasActed(): boolean } {
  const { context } = call;
  if (context === undefined) return { call, hasActed: () => false };
  let hasActed = false;
  const watched = callContextWith(context, {
    progress: (type, data) => {
      hasActed ||= /^(?:text|message|tool|subagent)\./.test(type);
      context.progress(type, data);
    },
  });
  return { call: { ...call, context: watched }, hasActed: () => hasActed };
}

function takenOver(task: string): string {
  return `Another agent began the following and was cut off. Look at what is already done, and continue from there.\n\n${task}`;
}
