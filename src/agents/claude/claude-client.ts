// The backend `claude`: the program of Claude Code, spoken to over its pipes. One process per session; the program is
// looked for when the first session is opened.

import { createBackendClient } from "../backend-client.ts";
import { capabilitiesWithout, type Capabilities } from "../capabilities.ts";
import type { BackendSession } from "../backend-session.ts";
import type { AgentClient, ModelInfo, OpenOptions } from "../port.ts";
import { backendHost, type BackendOptions } from "../process/backend-host.ts";
import { checkClaude, checkClaudeVersion, findClaude } from "./claude-program.ts";
import type { ClaudeModel } from "./claude-process.ts";
import { openClaudeSession } from "./claude-session.ts";

/** Claude Code can do all that the port asks for. */
export const claudeCapabilities: Capabilities = capabilitiesWithout({});

export function createClaudeClient(options: BackendOptions = {}): AgentClient {
  const host = backendHost(options);
  /** Per program: whether it works. A program that failed is asked again. */
  const checked = new Map<string, Promise<unknown>>();
  const closed = new AbortController();
  const opening = new Set<Promise<BackendSession>>();
  let models: readonly ModelInfo[] | undefined;

  function isUsable(program: ReturnType<typeof findClaude>, cwd: string): Promise<unknown> {
    const known = checked.get(program.path);
    if (known !== undefined) return known;
    const check = checkClaudeVersion(host, program, cwd);
    checked.set(program.path, check);
    check.catch(() => checked.delete(program.path));
    return check;
  }

  function openSession(open: OpenOptions): Promise<BackendSession> {
    const backendSession = start(open);
    opening.add(backendSession);
    const forget = (): void => void opening.delete(backendSession);
    backendSession.then(forget, forget);
    return backendSession;
  }

  async function start(open: OpenOptions): Promise<BackendSession> {
    const program = findClaude(host, open.cwd);
    return openClaudeSession({
      host,
      program: program.path,
      isUsable: isUsable(program, open.cwd),
      open,
      onStarted: (known) => (models = known.map(modelInfo)),
      signal: closed.signal,
    });
  }

  return createBackendClient(
    {
      kind: "claude",
      label: "Claude",
      capabilities: claudeCapabilities,
      openSession,
      async models() {
        // Every session gets the list at its start; without a session, a program is started for it.
        if (models === undefined) await (await openSession({ cwd: process.cwd() })).close();
        return models ?? [];
      },
      check: () => checkClaude(host, process.cwd()),
      // Sessions have ended their processes; only starts that are no longer awaited remain.
      async shutDown() {
        closed.abort();
        await Promise.allSettled(opening);
      },
    },
    host,
  );
}

function modelInfo({ value, displayName, description }: ClaudeModel): ModelInfo {
  return { id: value, name: displayName, description };
}
