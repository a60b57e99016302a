// The backends that a run can choose from: what each can do, and its models. Creating a client starts no program;
// asking for models does.

import { join } from "node:path";
import type { Capabilities } from "../agents/capabilities.ts";
import type { AgentClient, ModelInfo } from "../agents/port.ts";
import { resolveSettings } from "../settings/resolve-settings.ts";
import { parseAgentKind, parseAgentOrder, playsScript } from "./agents.ts";
import type { RunParts } from "./run-app.ts";

export interface AgentBackend {
  /** As `-a` takes it. */
  readonly kind: string;
  /** What to show as its name. */
  readonly label: string;
  readonly capabilities: Capabilities;
  /** Its position in the order of the settings, from 1; undefined: runs use it only on request. */
  readonly preference?: number | undefined;
}

type Parts = Pick<RunParts, "folders" | "environment" | "makeAgent" | "reap">;

const backends = ["claude", "opencode", "copilot"] as const;

/** Those with their own program, and those that the settings name. */
export async function listAgentBackends(parts: Parts): Promise<readonly AgentBackend[]> {
  const order = orderOf(parts);
  const kinds = [...new Set([...order.filter((kind) => !playsScript(kind)), ...backends])];
  return Promise.all(
    kinds.map((kind) =>
      withClient(parts, kind, async ({ label, capabilities }) => ({
        kind,
        label,
        capabilities,
        ...(order.includes(kind) && { preference: order.indexOf(kind) + 1 }),
      })),
    ),
  );
}

/** Without a kind: of the agent that the settings prefer. Throws AGENT_CAPABILITY and AGENT_UNAVAILABLE. */
export function listAgentModels(parts: Parts, kind?: string): Promise<readonly ModelInfo[]> {
  return withClient(parts, kind === undefined ? orderOf(parts)[0] : parseAgentKind(kind), (client) => client.models());
}

function orderOf(parts: Parts): readonly [string, ...string[]] {
  return parseAgentOrder(resolveSettings(parts).text("agent") ?? "claude");
}

async function withClient<T>(parts: Parts, kind: string, use: (client: AgentClient) => Promise<T>): Promise<T> {
  const settings = resolveSettings(parts);
  const processesDir = join(parts.folders.atomicHome, "processes");
  const programs = Object.fromEntries(backends.map((each) => [each, settings.text(`agents.${each}.path`)]));
  const client = await parts.makeAgent({ kind, programs, processesDir, memoryDir: processesDir });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
