// A real agent that speaks the Agent Client Protocol: the adapter of Claude Code, answered by the model on loopback.

import { join } from "node:path";
import { createAcpClient } from "../../../src/agents/acp/acp-client.ts";
import { claudeVocabulary } from "../../../src/testing/model-server/vocabulary.ts";
import { rigHost, type RigBackend, type RigPlace } from "../rig.ts";
import { claudeVariables } from "./claude.ts";

const program = join(import.meta.dirname, "../node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js");

/** What follows `acp:`. */
export const acpCommand = `"${process.execPath}" "${program}"`;

export function acpVariables(place: RigPlace): Record<string, string> {
  return {
    ...claudeVariables(place),
    ANTHROPIC_MODEL: "claude-sonnet-5",
    // It would ask the model after each turn what the user might say next.
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
    // As root it runs tools only if this variable says it is contained.
    ...(process.getuid?.() === 0 && { IS_SANDBOX: "1" }),
  };
}

export const rigBackend: RigBackend = {
  kind: "acp",
  vocabulary: claudeVocabulary,
  ownToolName: "mcp__atomic__add_numbers",
  // No ACP agent has an option to ignore a project's settings, so none is started elsewhere.
  open: { model: "claude-sonnet-5", isProjectTrusted: true },
  otherModel: "opus",
  silenceMs: 12_000,
  createClient: (place) => createAcpClient(acpCommand, rigHost(place, acpVariables(place))),
  plantProject: async () => ({ traces: [] }),
};
