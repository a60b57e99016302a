// A backend session made into the session the port promises: turns and compactions queue, usage adds up, an answer
// finds its question, and closing ends everything within a limit.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { requireCapability, type Capabilities } from "./capabilities.ts";
import type { BackendSession } from "./backend-session.ts";
import { turnError, turnFailure } from "./failures.ts";
import { defaultTurnLimits } from "./limits.ts";
import { questionGone } from "./open-questions.ts";
import type { AgentSession, OpenOptions } from "./port.ts";
import type { ToolServer, ToolServerControl } from "./tool-servers.ts";
import { createTurnGuard, type TurnGuard } from "./turn-guard.ts";
import { addUsage, noUsage } from "./usage.ts";
import { lateMessage } from "./turn-texts.ts";
import { orLate, within } from "./within.ts";

export interface GuardedSessionOptions {
  readonly backend: { readonly kind: string; readonly capabilities: Capabilities };
  readonly backendSession: BackendSession;
  readonly open: OpenOptions;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The session is closed; the client forgets it. */
  readonly onClosed?: (() => void) | undefined;
}

export function createGuardedSession(options: GuardedSessionOptions): AgentSession {
  const { backend, backendSession, open, clock, newId } = options;
  const limits = { ...defaultTurnLimits, ...open.limits };
  const guards = new Set<TurnGuard>();
  let last: Promise<unknown> = Promise.resolve();
  let usage = noUsage;
  let closing: Promise<void> | undefined;

  /** Runs `work` after everything that was queued before it, whatever became of that. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  function refuseWhenClosed(): void {
    if (closing !== undefined)
      throw new AtomicError(
        "AGENT_SESSION_CLOSED",
        `The session ${backendSession.id} of "${backend.kind}" is closed. Open another one, or resume it by its id.`,
      );
  }

  function serverControl(): ToolServerControl {
    requireCapability(backend, "toolServers");
    refuseWhenClosed();
    if (backendSession.servers === undefined) throw new Error(`"${backend.kind}" claims toolServers and has none`);
    return backendSession.servers;
  }

  function limited<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
    return orLate(work, limitMs, clock, () =>
      turnError(turnFailure("timeout", lateMessage(backend.kind, what, limitMs))),
    );
  }

  async function shutDown(): Promise<void> {
    await Promise.all([...guards].map((guard) => guard.interrupt("closed")));
    await within(backendSession.close(), limits.closeMs, clock);
    options.onClosed?.();
  }

  return {
    id: backendSession.id,
    model: backendSession.model,
    turn(prompt, turn = {}) {
      refuseWhenClosed();
      if (turn.model !== undefined) requireCapability(backend, "modelChoice");
      const guard = createTurnGuard({
        backendSession,
        prompt,
        turn,
        turnId: newId(),
        agent: open.agent?.name ?? backend.kind,
        modelAsked: turn.model ?? backendSession.model,
        limits,
        clock,
        newId,
        onQuestion: turn.onQuestion ?? open.onQuestion,
        enqueue: (begin) => void enqueue(begin),
        onEnd(end) {
          guards.delete(guard);
          usage = addUsage(usage, end.usage);
        },
      });
      guards.add(guard);
      return guard.events;
    },
    answer(questionId, reply) {
      for (const guard of guards) if (guard.answer(questionId, reply)) return;
      throw questionGone(questionId);
    },
    async compact(focus) {
      requireCapability(backend, "compact");
      refuseWhenClosed();
      return enqueue(() => limited(backendSession.compact(focus), limits.compactMs, "compacting its context"));
    },
    async contextUsage() {
      requireCapability(backend, "contextUsage");
      refuseWhenClosed();
      return limited(backendSession.contextUsage(), limits.queryMs, "measuring its context");
    },
    async servers() {
      return limited(serverControl().list(), limits.queryMs, "listing its tool servers");
    },
    async switchServer(name, isOn) {
      const control = serverControl();
      const known = await limited(control.list(), limits.queryMs, "listing its tool servers");
      // Some programs accept any name and do nothing.
      if (!known.some((server) => server.name === name)) throw unknownServer(name, known);
      await limited(control.switch(name, isOn), limits.openMs, "switching a tool server");
    },
    usage: () => usage,
    close: () => (closing ??= shutDown()),
  };
}

function unknownServer(name: string, known: readonly ToolServer[]): AtomicError {
  const names = known.map((server) => `"${server.name}"`).join(", ");
  const there = names === "" ? "The agent has none." : `There are: ${names}.`;
  return new AtomicError("USAGE", `There is no tool server "${name}". ${there}`);
}
