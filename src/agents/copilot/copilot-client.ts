// The backend `copilot`: GitHub's Copilot CLI, spoken to over its pipes. The program is started when the first session
// is opened; sessions share it (runtime-pool.ts).

import { turnError } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";
import { messageOf } from "../../lib/errors.ts";
import { createBackendClient } from "../backend-client.ts";
import { capabilitiesWithout } from "../capabilities.ts";
import type { AgentClient, ModelInfo } from "../port.ts";
import { backendHost, type BackendOptions } from "../process/backend-host.ts";
import { checkCopilot, modelSettings } from "./copilot-program.ts";
import { openCopilotSession } from "./copilot-session.ts";
import { createRuntimePool } from "./runtime-pool.ts";

export const copilotCapabilities = capabilitiesWithout({
  cost: "it counts premium requests, and states no price in money",
  shellRules: "its sessions take names of tools, and no rules",
  toolRules: "its sessions take names of tools, and no rules",
});

export function createCopilotClient(options: BackendOptions = {}): AgentClient {
  const host = backendHost(options);
  const pool = createRuntimePool(host);

  async function models(): Promise<readonly ModelInfo[]> {
    const { provider, model } = modelSettings(host);
    // Copilot has no model list for the user's own service.
    if (provider !== undefined) return model === undefined ? [] : [{ id: model, name: model }];
    const { client } = await pool.acquire(process.cwd(), false);
    const list = await client.listModels().catch((thrown: unknown) => {
      throw turnError(classifyFailure(messageOf(thrown), { now: host.clock.now() }));
    });
    return list.map(({ id, name, capabilities }) => ({
      id,
      name,
      contextTokens: capabilities.limits.max_context_window_tokens,
    }));
  }

  return createBackendClient(
    {
      kind: "copilot",
      label: "GitHub Copilot",
      capabilities: copilotCapabilities,
      openSession: async (open) =>
        openCopilotSession({
          host,
          settings: modelSettings(host),
          acquire: () => pool.acquire(open.cwd, open.isProjectTrusted === true),
          release: pool.release,
          open,
        }),
      models,
      check: () =>
        checkCopilot(host, process.cwd(), async () => {
          const { client } = await pool.acquire(process.cwd(), false);
          return (await client.getAuthStatus()).isAuthenticated;
        }),
      shutDown: () => pool.close(),
    },
    host,
  );
}
