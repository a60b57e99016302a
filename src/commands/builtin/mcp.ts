// /mcp: the tool servers that the agent in this chat knows, as it reports them.

import { coreHints } from "../../catalog/registry/command-hint.ts";
import type { McpServer, SlashCommand } from "../slash-command.ts";

export interface ServerSource {
  servers(): Promise<readonly McpServer[]>;
}

export function mcpCommand(source: ServerSource): SlashCommand {
  return {
    name: "mcp",
    description: "Show the agent's tool servers (MCP)",
    category: "builtin",
    argumentHint: coreHints.mcp,
    async execute(args) {
      if (args.trim() !== "") {
        return { kind: "refused", text: "/mcp takes no arguments. Servers are set up in the agent's own settings." };
      }
      return { kind: "servers", servers: await source.servers() };
    },
  };
}
