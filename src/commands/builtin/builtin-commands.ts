// The slash commands that are always there and that nothing can hide. The catalog keeps their names free
// (catalog/resolve/slash-names.ts); a test compares the two lists.

import { coreHints } from "../../catalog/registry/command-hint.ts";
import type { CommandRegistry } from "../command-registry.ts";
import type { CommandResult, SlashCommand } from "../slash-command.ts";
import { helpCommand } from "./help.ts";
import { mcpCommand, type ServerSource } from "./mcp.ts";
import { modelCommand, type ModelSource } from "./model.ts";

export interface BuiltinPorts {
  readonly models: ModelSource;
  readonly servers: ServerSource;
}

export function builtinCommands(registry: CommandRegistry, ports: BuiltinPorts): readonly SlashCommand[] {
  return [
    helpCommand(registry),
    simple("theme", "Change the colours", theme),
    simple("clear", "Empty the chat and start a new session", () => ({ kind: "clear" })),
    simple("compact", "Shorten what the agent remembers", (focus) => {
      return focus === "" ? { kind: "compact" } : { kind: "compact", focus };
    }),
    { ...simple("exit", "Leave", () => ({ kind: "exit" })), aliases: ["quit"] },
    modelCommand(ports.models),
    mcpCommand(ports.servers),
    simple("resume", "Resume a paused run", (id) => {
      if (/\s/.test(id)) return { kind: "refused", text: "/resume takes one id. `atomic sessions` lists them." };
      return id === "" ? { kind: "resume" } : { kind: "resume", id };
    }),
  ];
}

/** `answer` gets what was typed, trimmed. An empty hint means that nothing may be. */
function simple(
  name: keyof typeof coreHints,
  description: string,
  answer: (args: string) => CommandResult,
): SlashCommand {
  const argumentHint = coreHints[name];
  return {
    name,
    description,
    category: "builtin",
    argumentHint,
    execute(args) {
      const text = args.trim();
      if (argumentHint === "" && text !== "") return { kind: "refused", text: `/${name} takes no arguments.` };
      return answer(text);
    },
  };
}

function theme(args: string): CommandResult {
  if (args === "") return { kind: "theme", theme: "toggle" };
  if (args === "dark" || args === "light") return { kind: "theme", theme: args };
  return { kind: "refused", text: "There are two themes: /theme dark, /theme light." };
}
