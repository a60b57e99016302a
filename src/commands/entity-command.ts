// A slash command for a skill, a command or an agent that was found: its prompt with what was typed filled in, or the
// agent with its task.

import type { UnifiedEntity } from "../catalog/entities/entity.ts";
import { expandArguments, noArguments } from "../lib/expand-arguments.ts";
import type { SlashCommand } from "./slash-command.ts";

/** `aliases`: those that it got. */
export function entityCommand(entity: UnifiedEntity, aliases: readonly string[]): SlashCommand {
  const { name, description, type } = entity;
  return {
    name,
    description,
    aliases,
    // People think of a command file as a skill they start by name; the list has one heading for both.
    category: type === "agent" ? "agent" : "skill",
    ...hintOf(entity),
    execute(args) {
      if (type !== "agent") return { kind: "prompt", text: expandArguments(entity.prompt, args) };
      return { kind: "subagent", agent: name, task: args.trim() || noArguments };
    },
  };
}

function hintOf({ argumentHint, type }: UnifiedEntity): Pick<SlashCommand, "argumentHint"> {
  if (argumentHint !== undefined) return { argumentHint };
  return type === "agent" ? { argumentHint: "<task>" } : {};
}
