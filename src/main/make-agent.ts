// From an agent's kind to a client of it. The only place of the program that names the backends; each is imported when it
// is wanted, so that a run on one needs nothing of the others.

import { statSync } from "node:fs";
import { AtomicError, messageOf } from "../lib/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { StreamRedactor } from "../lib/redact.ts";
import type { AgentClient } from "../agents/port.ts";
import type { BackendHost } from "../agents/process/backend-host.ts";
import { childEnvironment } from "../agents/process/child-environment.ts";
import { createProcessRegistry } from "../agents/process/process-registry.ts";
import type { AgentSpec, MakeAgent } from "../app/agents.ts";

export interface MakeAgentHost {
  /** The user's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: ((text: string) => string) | undefined;
  readonly createStreamRedactor: (() => StreamRedactor) | undefined;
}

const acpPrefix = "acp:";

export function createMakeAgent(host: MakeAgentHost): MakeAgent {
  return async (spec) => {
    const client = await makeClient(spec, host);
    return spec.record === undefined ? client : recorded(client, spec.record, host);
  };
}

async function makeClient(spec: AgentSpec, { environment, clock, newId, redact }: MakeAgentHost): Promise<AgentClient> {
  const { kind, script = "" } = spec;
  const registry = createProcessRegistry(spec.processesDir);
  const backend: BackendHost = { environment: { user: environment }, programs: spec.programs, registry, clock, newId };
  if (kind.startsWith(acpPrefix)) {
    const { createAcpClient } = await import("../agents/acp/acp-client.ts");
    return createAcpClient({ command: kind.slice(acpPrefix.length).trim(), host: backend });
  }
  switch (kind) {
    case "claude": {
      const { createClaudeClient } = await import("../agents/claude/claude-client.ts");
      return createClaudeClient(backend);
    }
    case "opencode": {
      const { createOpencodeClient } = await import("../agents/opencode/opencode-client.ts");
      return createOpencodeClient({ host: backend });
    }
    case "copilot": {
      const { createCopilotClient } = await import("../agents/copilot/copilot-client.ts");
      return createCopilotClient(backend);
    }
    case "scripted": {
      const { loadScript } = await import("../agents/scripted/load-script.ts");
      const { createFileMemory } = await import("../agents/scripted/script-memory.ts");
      const { createScriptedClient } = await import("../agents/scripted/scripted-client.ts");
      const env = childEnvironment({ user: environment });
      const memory = createFileMemory(spec.memoryDir, redact);
      const loaded = await loadScript(script);
      return createScriptedClient({ script: loaded, source: script, env, registry, memory, clock, newId });
    }
    case "replay": {
      const { readRecordingFile } = await import("../agents/replay/recording-file.ts");
      const { createReplayClient } = await import("../agents/replay/replay-client.ts");
      return createReplayClient({ recording: readRecordingFile(script), source: script, clock, newId });
    }
    default:
      throw new AtomicError("AGENT_UNKNOWN", `There is no agent "${kind}".`, { details: { agent: kind } });
  }
}

async function recorded(client: AgentClient, file: string, host: MakeAgentHost): Promise<AgentClient> {
  const { openRecordingFile } = await import("../agents/replay/recording-file.ts");
  const { createRecordingClient } = await import("../agents/replay/recording-client.ts");
  const { clock, redact, createStreamRedactor } = host;
  const write = openChecked(openRecordingFile, file);
  return createRecordingClient(client, { clock, redact, createStreamRedactor, write });
}

function openChecked(open: (path: string) => (line: string) => void, file: string): (line: string) => void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) throw new AtomicError("USAGE", `--record ${file}: that is a folder. Name a file.`);
  // Opening a pipe waits for its reader, and no signal gets through meanwhile.
  if (there?.isFIFO() === true || there?.isSocket() === true)
    throw new AtomicError("USAGE", `--record ${file}: that is a pipe or a socket. Name a file.`);
  try {
    return open(file);
  } catch (cause) {
    throw new AtomicError("USAGE", `--record ${file}: ${messageOf(cause)}. Choose a file that can be written.`, {
      cause,
    });
  }
}
