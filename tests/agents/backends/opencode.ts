// OpenCode under test: the real server, its own provider on loopback, nothing that needs a network.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpencodeClient } from "../../../src/agents/opencode/opencode-client.ts";
import { opencodeVocabulary } from "../../../src/testing/model-server/vocabulary.ts";
import { rigHost, type RigBackend, type RigPlace } from "../rig.ts";

const model = {
  tool_call: true,
  reasoning: true,
  cost: { input: 3, output: 15 },
  limit: { context: 200_000, output: 8192 },
};

/** The user's own configuration. */
export function userConfig(place: RigPlace, npm = "@ai-sdk/openai-compatible"): object {
  return {
    // A full context is a failure, as without it; opencode.agents.ts has a case with it.
    compaction: { auto: false },
    enabled_providers: ["test"],
    model: "test/fake-model",
    small_model: "test/fake-model",
    provider: {
      test: {
        npm,
        name: "Test",
        options: { baseURL: `${place.modelUrl}/v1`, apiKey: "test-key" },
        models: { "fake-model": { name: "Fake", ...model }, "other-model": { name: "Other", ...model } },
      },
    },
  };
}

/** No traffic except to the model on loopback. */
export const quiet = {
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_SHARE: "1",
  // It installs types for a project's plugins before it loads them; where there is no network, that must fail at once.
  npm_config_registry: "http://127.0.0.1:9/",
  npm_config_fetch_retries: "0",
};

export const rigBackend: RigBackend = {
  kind: "opencode",
  vocabulary: opencodeVocabulary,
  ownToolName: "atomic_add_numbers",
  open: { model: "test/fake-model" },
  otherModel: "test/other-model",
  silenceMs: 12_000,
  createClient: (place) =>
    createOpencodeClient({
      ...rigHost(place, { ...quiet, OPENCODE_CONFIG_CONTENT: JSON.stringify(userConfig(place)) }),
      retries: { attempts: 0 },
    }),
  async plantProject(folder) {
    const traces = ["plugin", "mcp"].map((name) => join(folder, `trace-${name}`));
    const [plugin = "", mcp = ""] = traces;
    mkdirSync(join(folder, ".opencode", "plugin"), { recursive: true });
    writeFileSync(
      join(folder, ".opencode", "plugin", "trace.js"),
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(plugin)}, "");\nexport const Trace = async () => ({});\n`,
    );
    const server = { type: "local", command: ["sh", "-c", `touch '${mcp}'`], enabled: true };
    writeFileSync(join(folder, "opencode.json"), JSON.stringify({ mcp: { planted: server } }));
    return { traces, isRefused: true };
  },
};
