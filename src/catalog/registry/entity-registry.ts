// Commands, skills and agents by name, for workflow authors and nodes: a view on what the catalog found, plus what a
// program registers itself. Lookup ignores case and knows aliases; a name beats an alias; `atomic:worker` always means
// the built-in, whatever hides it.

import { AtomicError } from "../../lib/errors.ts";
import { notFoundText } from "../../lib/not-found-text.ts";
import { homeFolder } from "../../lib/home-folder.ts";
import { Refusal, type Diagnostic } from "../diagnostics.ts";
import { providerSources } from "../discovery/entity-folders.ts";
import { loadEntityFolder, type FoundEntity } from "../discovery/load-entity-folder.ts";
import { loadOpencodeConfig } from "../discovery/load-opencode-config.ts";
import type { EntityType, ProviderType, UnifiedEntity } from "../entities/entity.ts";
import { nameKey, parseEntityName } from "../entity-name.ts";
import { loadYamlParser } from "../markdown/yaml-parser.ts";
import { realOrSame } from "../../lib/real-path.ts";

export interface EntityRegistry {
  /**
   * Keeps the existing entity if its source is stronger: project before user before built-in. On a tie the new one
   * wins.
   */
  register(entity: UnifiedEntity): void;
  /**
   * Reads all of a provider's folders under `basePath`; the home folder counts as the user's, any other as a
   * project's.
   */
  registerFromProvider(provider: ProviderType, basePath: string, location?: "project" | "user"): Promise<void>;
  getCommand(name: string): UnifiedEntity | undefined;
  getSkill(name: string): UnifiedEntity | undefined;
  getAgent(name: string): UnifiedEntity | undefined;
  /** Those whose name or alias starts with the prefix, an exact match first. */
  searchCommands(prefix: string): UnifiedEntity[];
  searchSkills(prefix: string): UnifiedEntity[];
  searchAgents(prefix: string): UnifiedEntity[];
  allCommands(): UnifiedEntity[];
  allSkills(): UnifiedEntity[];
  allAgents(): UnifiedEntity[];
  /** The entity's own hint: a command's, else a skill's, else an agent's. */
  getArgumentHint(name: string): string | undefined;
  /** What was refused or corrected while reading providers. */
  diagnostics(): readonly Diagnostic[];
  clear(): void;
}

const builtinPrefix = "atomic:";
const locationOrder = ["project", "user", "builtin"] as const;
const providerOrder: readonly ProviderType[] = ["atomic", "claude", "opencode", "copilot"];

export function createEntityRegistry(): EntityRegistry {
  const entities = new Map<string, UnifiedEntity>();
  const builtins = new Map<string, UnifiedEntity>();
  const diagnostics: Diagnostic[] = [];

  const keyOf = (type: EntityType, name: string): string => `${type}:${nameKey(name)}`;

  function register(entity: UnifiedEntity): void {
    const key = keyOf(entity.type, nameOf(entity));
    if (entity.source.location === "builtin") builtins.set(key, entity);
    const known = entities.get(key);
    if (known === undefined || precedence(entity) <= precedence(known)) entities.set(key, entity);
  }

  function all(type: EntityType): UnifiedEntity[] {
    const found = [...entities.values()].filter((entity) => entity.type === type);
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  function get(type: EntityType, name: string): UnifiedEntity | undefined {
    const wanted = nameKey(name);
    if (wanted.startsWith(builtinPrefix)) return builtins.get(keyOf(type, wanted.slice(builtinPrefix.length)));
    return entities.get(keyOf(type, wanted)) ?? byAlias(type, wanted);
  }

  function byAlias(type: EntityType, alias: string): UnifiedEntity | undefined {
    const owners = all(type).filter((entity) => aliasKeys(entity).includes(alias));
    return owners.toSorted((a, b) => precedence(a) - precedence(b))[0];
  }

  function search(type: EntityType, prefix: string): UnifiedEntity[] {
    const wanted = nameKey(prefix);
    const matches = all(type).flatMap((entity) => {
      const names = [nameKey(entity.name), ...aliasKeys(entity)];
      const order = names.includes(wanted) ? 0 : names[0]?.startsWith(wanted) === true ? 1 : 2;
      return names.some((name) => name.startsWith(wanted)) ? [{ entity, order }] : [];
    });
    return matches.toSorted((a, b) => a.order - b.order).map(({ entity }) => entity);
  }

  return {
    register,
    async registerFromProvider(provider, basePath, location) {
      await loadYamlParser();
      const isHome = realOrSame(basePath) === realOrSame(homeFolder(process.env));
      const loaded = loadProvider(provider, basePath, location ?? (isHome ? "user" : "project"), diagnostics);
      // Weakest first: on a tie the entity that is registered last wins.
      for (const { entity } of loaded.toSorted((a, b) => b.rank - a.rank)) register(entity);
    },
    getCommand: (name) => get("command", name),
    getSkill: (name) => get("skill", name),
    getAgent: (name) => get("agent", name),
    searchCommands: (prefix) => search("command", prefix),
    searchSkills: (prefix) => search("skill", prefix),
    searchAgents: (prefix) => search("agent", prefix),
    allCommands: () => all("command"),
    allSkills: () => all("skill"),
    allAgents: () => all("agent"),
    getArgumentHint: (name) => {
      const entity = get("command", name) ?? get("skill", name) ?? get("agent", name);
      return entity?.argumentHint;
    },
    diagnostics: () => diagnostics,
    clear() {
      entities.clear();
      builtins.clear();
      diagnostics.length = 0;
    },
  };
}

/** The default for authors. The engine never reads it: it gets its entities as an argument. */
export const entityRegistry: EntityRegistry = createEntityRegistry();

/** `Skill not found: "comit" (did you mean "commit"?)` */
export function entityNotFound(type: EntityType, name: string, registry: EntityRegistry): AtomicError {
  const title = { command: "Command", skill: "Skill", agent: "Agent" }[type];
  const all = { command: registry.allCommands, skill: registry.allSkills, agent: registry.allAgents }[type]();
  const names = all.flatMap((entity) => [entity.name, ...(entity.aliases ?? [])]);
  return new AtomicError("ENTITY_NOT_FOUND", notFoundText(title, name, names), { details: { type, name } });
}

function precedence(entity: UnifiedEntity): number {
  return locationOrder.indexOf(entity.source.location) * 10 + providerOrder.indexOf(entity.source.provider);
}

/** The label counts as an alias: people write `agent: C# Expert`. */
function aliasKeys({ aliases = [], label }: UnifiedEntity): string[] {
  return [...aliases, ...(label === undefined ? [] : [label])].map(nameKey);
}

function nameOf(entity: UnifiedEntity): string {
  try {
    return parseEntityName(entity.name);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new AtomicError("ENTITY_INVALID", `The ${entity.type} can't be registered. ${thrown.message}`);
  }
}

function loadProvider(
  provider: ProviderType,
  basePath: string,
  location: "project" | "user",
  diagnostics: Diagnostic[],
): FoundEntity[] {
  const sources = providerSources(provider, basePath, location);
  const loaded = [...sources.folders.map(loadEntityFolder), ...sources.configFiles.map(loadOpencodeConfig)];
  for (const each of loaded) diagnostics.push(...each.diagnostics);
  return loaded.flatMap((each) => each.found);
}
