// What every backend's client has in common: it refuses what its backend can't do, opens within a limit, keeps track
// of its sessions, and closes them. A backend brings the backend session of a session and how to end its own programs.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { requireCapability, type Capabilities } from "./capabilities.ts";
import { checkOpenOptions } from "./check-open.ts";
import type { BackendSession } from "./backend-session.ts";
import { turnError, turnFailure } from "./failures.ts";
import { createGuardedSession } from "./guarded-session.ts";
import { defaultTurnLimits } from "./limits.ts";
import type { AgentClient, AgentSession, BackendReport, ModelInfo, OpenOptions } from "./port.ts";
import { lateMessage } from "./turn-texts.ts";
import { orLate, within } from "./within.ts";

export interface Backend {
  readonly kind: string;
  readonly label: string;
  readonly capabilities: Capabilities;
  /** Throws AGENT_UNAVAILABLE or AGENT_SESSION_UNKNOWN. The options fit the capabilities. */
  openSession(options: OpenOptions): Promise<BackendSession>;
  models(): Promise<readonly ModelInfo[]>;
  check(): Promise<BackendReport>;
  /** Ends what the sessions share, after they have been closed. */
  shutDown(): Promise<void>;
}

export function createBackendClient(
  backend: Backend,
  { clock, newId }: { readonly clock: Clock; readonly newId: () => string },
): AgentClient {
  const { kind, label } = backend;
  const sessions = new Set<AgentSession>();
  let closing: Promise<void> | undefined;

  async function openWithin(options: OpenOptions, limitMs: number): Promise<BackendSession> {
    const opening = backend.openSession(options);
    return orLate(opening, limitMs, clock, () => {
      // It may still open, after the caller gave up.
      opening.then((backendSession) => backendSession.close()).catch(() => {});
      return new AtomicError("AGENT_UNAVAILABLE", lateMessage(kind, "opening a session", limitMs), { retryable: true });
    });
  }

  const isClosed = (): boolean => closing !== undefined;

  function refuseWhenClosed(): void {
    if (isClosed())
      throw new AtomicError("AGENT_SESSION_CLOSED", `The client of "${kind}" is closed. Make another one.`);
  }

  async function closeAll(): Promise<void> {
    await Promise.all([...sessions].map((session) => session.close()));
    await within(backend.shutDown(), defaultTurnLimits.closeMs, clock);
  }

  return {
    kind,
    label,
    // Some backends learn what their program can do only when it runs.
    get capabilities() {
      return backend.capabilities;
    },
    async open(options) {
      refuseWhenClosed();
      checkOpenOptions(backend, options);
      const backendSession = await openWithin(options, options.limits?.openMs ?? defaultTurnLimits.openMs);
      // Closed in the meantime: nothing else would end what was just started.
      if (isClosed()) await backendSession.close();
      refuseWhenClosed();
      const session: AgentSession = createGuardedSession({
        backend,
        backendSession,
        open: options,
        clock,
        newId,
        onClosed: () => sessions.delete(session),
      });
      sessions.add(session);
      return session;
    },
    async models() {
      requireCapability(backend, "models");
      const limitMs = defaultTurnLimits.queryMs;
      return orLate(backend.models(), limitMs, clock, () =>
        turnError(turnFailure("timeout", lateMessage(kind, "listing its models", limitMs))),
      );
    },
    check: () => backend.check(),
    close: () => (closing ??= closeAll()),
  };
}
