// Agents by name, in the small form that sub-agent dispatch needs. A default for authors, as `entityRegistry` is.

import { nameKey } from "../entity-name.ts";
import type { EntityLocation, UnifiedEntity } from "../entities/entity.ts";

export type AgentSource = EntityLocation;

export interface AgentInfo {
  readonly name: string;
  readonly description: string;
  readonly source: AgentSource;
  /** `builtin:name.md` for an agent that comes with the program. */
  readonly filePath: string;
}

export interface SubagentEntry {
  readonly name: string;
  readonly info: AgentInfo;
  readonly source: AgentSource;
}

export class SubagentTypeRegistry {
  readonly #agents = new Map<string, SubagentEntry>();

  register(entry: SubagentEntry): void {
    this.#agents.set(nameKey(entry.name), entry);
  }

  get(name: string): SubagentEntry | undefined {
    return this.#agents.get(nameKey(name));
  }

  has(name: string): boolean {
    return this.#agents.has(nameKey(name));
  }

  getAll(): SubagentEntry[] {
    return [...this.#agents.values()];
  }

  clear(): void {
    this.#agents.clear();
  }
}

let current: SubagentTypeRegistry | undefined;

export function getSubagentRegistry(): SubagentTypeRegistry {
  current ??= new SubagentTypeRegistry();
  return current;
}

export function setSubagentRegistry(registry: SubagentTypeRegistry): void {
  current = registry;
}

/** Registers the agents that were found, and returns their number. */
export function populateSubagentRegistry(
  agents: readonly UnifiedEntity[],
  registry: SubagentTypeRegistry = getSubagentRegistry(),
): number {
  for (const { name, description, source } of agents) {
    const info = { name, description, source: source.location, filePath: source.path ?? `builtin:${name}.md` };
    registry.register({ name, info, source: source.location });
  }
  return agents.length;
}
