// Entities for the engine's nodes: the prompt by name, or an error that suggests the nearest one.

import type { EntityType, UnifiedEntity } from "../entities/entity.ts";
import { entityNotFound, type EntityRegistry } from "./entity-registry.ts";

export interface NodeEntity {
  readonly name: string;
  readonly prompt: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly toolRules?: Readonly<Record<string, readonly string[]>>;
}

/** Fits the engine's `Runtime.entities`. */
export interface NodeEntities {
  skill(name: string): NodeEntity;
  command(name: string): NodeEntity;
  agent(name: string): NodeEntity;
}

export function createNodeEntities(registry: EntityRegistry): NodeEntities {
  const required = (type: EntityType, name: string, entity: UnifiedEntity | undefined): NodeEntity => {
    if (entity === undefined) throw entityNotFound(type, name, registry);
    const { model, tools, toolRules } = entity;
    return {
      name: entity.name,
      prompt: entity.prompt,
      // `inherit` means: whatever the run uses.
      ...(model === undefined || model === "inherit" ? {} : { model }),
      ...(tools === undefined ? {} : { tools }),
      ...(toolRules === undefined ? {} : { toolRules }),
    };
  };
  return {
    skill: (name) => required("skill", name, registry.getSkill(name)),
    command: (name) => required("command", name, registry.getCommand(name)),
    agent: (name) => required("agent", name, registry.getAgent(name)),
  };
}
