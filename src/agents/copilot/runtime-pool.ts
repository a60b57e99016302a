// The Copilot programs of one client. Sessions share one, which costs a session 4 MB and 0.1 s in place of 115 MB and a
// second; those in trusted projects have a separate one, because trust applies to the whole program. In a sandbox a
// program may write to one work tree only, so each tree has its own, which ends with the tree's last session.

import type { BackendHost } from "../process/backend-host.ts";
import { findCopilot } from "./copilot-program.ts";
import { startCopilotRuntime, type CopilotRuntime } from "./copilot-runtime.ts";

export interface RuntimePool {
  /** A running program for sessions in this folder; started if none is running. Throws AGENT_UNAVAILABLE. */
  acquire(cwd: string, isTrusted: boolean): Promise<CopilotRuntime>;
  /** A session has left the program. */
  release(runtime: CopilotRuntime): Promise<void>;
  close(): Promise<void>;
}

const graceMs = 4000;

export function createRuntimePool(host: BackendHost): RuntimePool {
  interface Entry {
    readonly starting: Promise<CopilotRuntime>;
    /** Absent while it starts. */
    runtime?: CopilotRuntime;
    sessions: number;
  }
  const entries = new Map<string, Entry>();
  const closed = new AbortController();

  return {
    async acquire(cwd, isTrusted) {
      // Looked for again each time: what may be used depends on the folder.
      const { path } = findCopilot(host, cwd);
      const key = JSON.stringify([path, isTrusted, host.sandbox?.rootOf(cwd) ?? null]);
      const known = entries.get(key);
      if (known !== undefined && known.runtime?.isAlive !== false) {
        known.sessions++;
        return known.starting;
      }
      const starting = startCopilotRuntime({ host, path, isTrusted, worksIn: cwd, signal: closed.signal });
      const entry: Entry = { starting, sessions: 1 };
      entries.set(key, entry);
      entry.starting.then(
        (runtime) => (entry.runtime = runtime),
        () => entries.delete(key),
      );
      return entry.starting;
    },
    async release(runtime) {
      const found = [...entries].find(([, entry]) => entry.runtime === runtime);
      if (host.sandbox === undefined || found === undefined) return;
      const [key, entry] = found;
      if (--entry.sessions > 0) return;
      entries.delete(key);
      await runtime.stop(graceMs);
    },
    async close() {
      closed.abort();
      const started = await Promise.allSettled([...entries.values()].map(({ starting }) => starting));
      const running = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      await Promise.all(running.map((runtime) => runtime.stop(graceMs)));
    },
  };
}
