// The real Copilot CLI, driven by its SDK, answered by the model on loopback.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCopilotClient } from "../../../src/agents/copilot/copilot-client.ts";
import { copilotVocabulary } from "../../../src/testing/model-server/vocabulary.ts";
import { homeOf, rigHost, type RigBackend, type RigPlace } from "../rig.ts";

export function copilotVariables(place: RigPlace): Record<string, string> {
  return {
    COPILOT_HOME: join(homeOf(place), ".copilot"),
    // The program unpacks 220 MB of itself at its first start. Here, it does so once for a suite, and leaves nothing.
    COPILOT_CACHE_HOME: join(place.root, "copilot-cache"),
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: place.modelUrl,
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_API_KEY: "test-key",
    COPILOT_MODEL: "fake-model",
  };
}

export const rigBackend: RigBackend = {
  kind: "copilot",
  vocabulary: copilotVocabulary,
  ownToolName: "add_numbers",
  open: { model: "fake-model" },
  otherModel: "other-model",
  silenceMs: 10_000,
  createClient: (place) => createCopilotClient(rigHost(place, copilotVariables(place))),
  async plantProject(folder) {
    const trace = (name: string): string => join(folder, `${name}.trace`);
    const hook = (name: string): string =>
      JSON.stringify({
        version: 1,
        hooks: { userPromptSubmitted: [{ type: "command", bash: `touch '${trace(name)}'`, timeoutSec: 10 }] },
      });
    const claudeHook = {
      UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch '${trace("claude-hook")}'` }] }],
    };
    const server = { command: "/bin/sh", args: ["-c", `touch '${trace("server")}'`], tools: ["*"] };
    const files = {
      ".github/hooks/planted.json": hook("hook"),
      ".github/copilot/settings.json": hook("settings-hook"),
      ".github/copilot/settings.local.json": hook("local-hook"),
      ".claude/settings.json": JSON.stringify({ hooks: claudeHook }),
      ".mcp.json": JSON.stringify({ mcpServers: { planted: server } }),
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return { traces: ["hook", "settings-hook", "local-hook", "claude-hook", "server"].map(trace) };
  },
};
