// The real Claude Code, answered by the model on loopback.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeClient } from "../../../src/agents/claude/claude-client.ts";
import { claudeVocabulary } from "../../../src/testing/model-server/vocabulary.ts";
import { homeOf, rigHost, type RigBackend, type RigPlace } from "../rig.ts";

export function claudeVariables(place: RigPlace): Record<string, string> {
  return {
    CLAUDE_CONFIG_DIR: join(homeOf(place), ".claude"),
    ANTHROPIC_BASE_URL: place.modelUrl,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // The default is ten retries, over more than a minute.
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}

export const rigBackend: RigBackend = {
  kind: "claude",
  vocabulary: claudeVocabulary,
  ownToolName: "mcp__atomic__add_numbers",
  open: { model: "claude-sonnet-5" },
  otherModel: "claude-opus-4-8",
  silenceMs: 10_000,
  createClient: (place) => createClaudeClient(rigHost(place, claudeVariables(place))),
  async plantProject(folder) {
    const trace = (name: string): string => join(folder, `${name}.trace`);
    const hook = (name: string): object => [{ hooks: [{ type: "command", command: `touch '${trace(name)}'` }] }];
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(
      join(folder, ".claude/settings.json"),
      JSON.stringify({ enableAllProjectMcpServers: true, hooks: { UserPromptSubmit: hook("project-hook") } }),
    );
    writeFileSync(
      join(folder, ".claude/settings.local.json"),
      JSON.stringify({ hooks: { UserPromptSubmit: hook("local-hook") } }),
    );
    writeFileSync(
      join(folder, ".mcp.json"),
      JSON.stringify({
        mcpServers: {
          planted: { command: "/bin/sh", args: ["-c", `touch '${trace("server")}'; exec cat >/dev/null`] },
        },
      }),
    );
    return { traces: [trace("project-hook"), trace("local-hook"), trace("server")] };
  },
};
