// All slash commands of a start: the built-in ones, and one for every workflow, skill, command and agent of the catalog.
// Who gets a name was decided there.

import type { Catalog } from "../catalog/catalog.ts";
import type { SlashKind } from "../catalog/resolve/slash-names.ts";
import type { UnifiedEntity } from "../catalog/entities/entity.ts";
import { builtinCommands, type BuiltinPorts } from "./builtin/builtin-commands.ts";
import { CommandRegistry } from "./command-registry.ts";
import { entityCommand } from "./entity-command.ts";
import { workflowCommand, type WorkflowCommandPorts } from "./workflow-command.ts";

export interface CommandPorts extends BuiltinPorts, WorkflowCommandPorts {}

export type CommandSource = Pick<Catalog, "slashNames" | "workflows" | "agents" | "skills" | "commands">;

export function createCommands(catalog: CommandSource, ports: CommandPorts): CommandRegistry {
  const registry = new CommandRegistry();
  for (const command of builtinCommands(registry, ports)) registry.register(command);
  const workflows = new Map(catalog.workflows.map(({ info }) => [info.name, info]));
  const byName = (list: readonly UnifiedEntity[]) => new Map(list.map((entity) => [entity.name, entity]));
  const entities: Readonly<Record<Exclude<SlashKind, "workflow">, ReadonlyMap<string, UnifiedEntity>>> = {
    command: byName(catalog.commands),
    skill: byName(catalog.skills),
    agent: byName(catalog.agents),
  };
  for (const { name, aliases, kind } of catalog.slashNames) {
    if (kind === "workflow") {
      const info = workflows.get(name);
      if (info !== undefined) registry.register(workflowCommand(info, aliases, ports));
    } else {
      const entity = entities[kind].get(name);
      if (entity !== undefined) registry.register(entityCommand(entity, aliases));
    }
  }
  return registry;
}
