// Entities for the engine's nodes: the prompt by name, or an error that suggests the nearest one.

import type { EntityType, UnifiedEntity } from "../entities/entity.ts";
import type { EntityPrompt, EntitySource } from "../../workflows/graph/model/entities.ts";
import { entityNotFound, type EntityRegistry } from "./entity-registry.ts";

export function createNodeEntities(registry: EntityRegistry): EntitySource {
  const required = (type: EntityType, name: string, entity: UnifiedEntity | undefined): EntityPrompt => {
    if (entity === undefined) throw entityNotFound(type, name, registry);
    return promptOf(entity);
  };
  return {
    skill: (name) => required("skill", name, registry.getSkill(name)),
    command: (name) => required("command", name, registry.getCommand(name)),
    agent: (name) => required("agent", name, registry.getAgent(name)),
    agents: () =>
      registry.allAgents().map((entity) => ({
        ...promptOf(entity),
        description: entity.description,
        location: entity.source.location,
      })),
  };
}

function promptOf({ name, prompt, model, tools, toolRules }: UnifiedEntity): EntityPrompt {
  return {
    name,
    prompt,
    // `inherit` means: whatever the run uses.
    ...(model === undefined || model === "inherit" ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(toolRules === undefined ? {} : { toolRules }),
  };
}
