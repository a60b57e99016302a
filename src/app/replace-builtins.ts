// What replaces a built-in prompt if the user's settings name something else for it. In an untrusted project the
// replacement is looked for without the project: a stranger's file of the same name is not what the user meant.

import type { EntityType } from "../catalog/entities/entity.ts";
import { nameKey } from "../catalog/entity-name.ts";
import type { EntityRegistry } from "../catalog/registry/entity-registry.ts";

export interface ReplacerOptions {
  /** By the name of the built-in. */
  readonly replacements: Readonly<Record<string, string>>;
  readonly registry: EntityRegistry;
  /** Without the project's own files; given where the project is not trusted. */
  readonly userRegistry: (() => EntityRegistry) | undefined;
}

export interface FoundName {
  readonly registry: EntityRegistry;
  readonly name: string;
}

const prefix = "atomic:";

export function createReplacer(options: ReplacerOptions): (type: EntityType, name: string) => FoundName {
  const { replacements, registry, userRegistry } = options;
  return (type, name) => {
    const key = nameKey(name);
    const own = key.startsWith(prefix) ? key.slice(prefix.length) : "";
    const other = Object.hasOwn(replacements, own) ? replacements[own] : undefined;
    if (other === undefined) return { registry, name };
    if (userRegistry === undefined) return { registry, name: other };
    // One that only the project has is not used: the built-in itself is.
    return has(userRegistry(), type, other) ? { registry: userRegistry(), name: other } : { registry, name };
  };
}

function has(registry: EntityRegistry, type: EntityType, name: string): boolean {
  const found = { agent: registry.getAgent, skill: registry.getSkill, command: registry.getCommand }[type](name);
  return found !== undefined;
}
