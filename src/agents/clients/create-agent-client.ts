// From an agent's kind to a client of it. With src/public the only place that names the backends; each is imported when
// it is asked for, so that a run on one loads nothing of the others.

import { AtomicError } from "../../lib/errors.ts";
import type { AgentClient } from "../port.ts";
import { backendHost, programEnvironment, type BackendOptions } from "../process/backend-host.ts";

export interface AgentClientOptions extends BackendOptions {
  /** The file that `scripted` and `replay` play. */
  readonly script?: string | undefined;
  /** The folder in which `scripted` keeps what its sessions remember. Absent: they forget when the process ends. */
  readonly memoryDir?: string | undefined;
  /** Masks secrets in what is kept there. */
  readonly redact?: ((text: string) => string) | undefined;
}

const acpPrefix = "acp:";

/** `kind`: `claude`, `opencode`, `copilot`, `acp:<command>`, `scripted` or `replay`. */
export async function createAgentClient(kind: string, options: AgentClientOptions = {}): Promise<AgentClient> {
  const { script, memoryDir, redact, ...backend } = options;
  if (kind.startsWith(acpPrefix)) {
    const { createAcpClient } = await import("../acp/acp-client.ts");
    return createAcpClient(kind.slice(acpPrefix.length).trim(), backend);
  }
  switch (kind) {
    case "claude":
      return (await import("../claude/claude-client.ts")).createClaudeClient(backend);
    case "opencode":
      return (await import("../opencode/opencode-client.ts")).createOpencodeClient(backend);
    case "copilot":
      return (await import("../copilot/copilot-client.ts")).createCopilotClient(backend);
    case "scripted": {
      const { loadScript } = await import("../scripted/load-script.ts");
      const { createFileMemory } = await import("../scripted/script-memory.ts");
      const { createScriptedClient } = await import("../scripted/scripted-client.ts");
      const host = backendHost(backend);
      const { clock, newId, registry, sandbox } = host;
      const source = requireScript(kind, script);
      const memory = memoryDir === undefined ? undefined : createFileMemory(memoryDir, redact);
      const env = programEnvironment(host, {});
      return createScriptedClient({
        script: await loadScript(source),
        source,
        env,
        registry,
        sandbox,
        memory,
        clock,
        newId,
      });
    }
    case "replay": {
      const { readRecordingFile } = await import("../replay/recording-file.ts");
      const { createReplayClient } = await import("../replay/replay-client.ts");
      const source = requireScript(kind, script);
      const { clock, newId } = backend;
      return createReplayClient({ recording: readRecordingFile(source), source, clock, newId });
    }
    default:
      throw new AtomicError("AGENT_UNKNOWN", `There is no agent "${kind}".`, { details: { agent: kind } });
  }
}

function requireScript(kind: string, script: string | undefined): string {
  if (script !== undefined) return script;
  throw new AtomicError("AGENT_UNKNOWN", `The agent "${kind}" plays a file. Name it with \`script\`.`, {
    details: { agent: kind },
  });
}
