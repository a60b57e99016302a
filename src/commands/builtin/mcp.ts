// /mcp: the tool servers that the agent in this chat knows, as it reports them, and switching one on or off.

import { coreHints } from "../../catalog/registry/command-hint.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";
import type { SlashCommand } from "../slash-command.ts";

export interface ServerSource {
  servers(): Promise<readonly ToolServer[]>;
  /** For this session. */
  switchServer(name: string, isOn: boolean): Promise<void>;
}

export function mcpCommand(source: ServerSource): SlashCommand {
  return {
    name: "mcp",
    description: "Show the agent's tool servers (MCP)",
    category: "builtin",
    argumentHint: coreHints.mcp,
    async execute(args) {
      const [word = "", name = "", ...rest] = args.trim().split(/\s+/);
      if (word !== "") {
        const isOn = word === "enable";
        if ((!isOn && word !== "disable") || name === "" || rest.length > 0)
          return {
            kind: "refused",
            text: "/mcp lists the servers; /mcp enable SERVER and /mcp disable SERVER switch one.",
          };
        await source.switchServer(name, isOn);
      }
      return { kind: "servers", servers: await source.servers() };
    },
  };
}
