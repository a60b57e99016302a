// A slash command for a skill, a command or an agent that was found: its prompt with what was typed filled in, or the
// agent with its task.

import type { UnifiedEntity } from "../catalog/entities/entity.ts";
import { getCommandHint } from "../catalog/registry/command-hint.ts";
import { expandArguments } from "../lib/expand-arguments.ts";
import type { SlashCommand } from "./slash-command.ts";

/** `aliases`: those that it got. */
export function entityCommand(entity: UnifiedEntity, aliases: readonly string[]): SlashCommand {
  const { name, description, type } = entity;
  const hint = entity.argumentHint ?? getCommandHint(name, { getArgumentHint: () => undefined });
  return {
    name,
    description,
    aliases,
    // People think of a command file as a skill they start by name; the list has one heading for both.
    category: type === "agent" ? "agent" : "skill",
    ...(hint === undefined ? (type === "agent" ? { argumentHint: "<task>" } : {}) : { argumentHint: hint }),
    execute(args) {
      if (type !== "agent") return { kind: "prompt", text: expandArguments(entity.prompt, args) };
      const task = args.trim();
      if (task === "") return { kind: "refused", text: `Please say what the agent ${name} should do: /${name} TASK` };
      return { kind: "subagent", agent: name, task };
    },
  };
}
