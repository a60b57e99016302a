// Fills a registry with everything that is found on disk. Authors call it once, before they use entities by name.

import { join } from "node:path";
import { homeFolder } from "../../lib/home-folder.ts";
import { builtinEntities } from "../builtin/builtin-entities.ts";
import { loadCatalog, type Catalog } from "../catalog.ts";
import type { Roots } from "../discovery/entity-folders.ts";
import type { ProviderType } from "../entities/entity.ts";
import { loadYamlParser } from "../markdown/yaml-parser.ts";
import { setDefaultRuntime } from "../../workflows/graph/model/default-runtime.ts";
import { createNodeEntities } from "./entity-source.ts";
import { entityRegistry, type EntityRegistry } from "./entity-registry.ts";

export interface InitializeOptions {
  readonly providers?: readonly ProviderType[] | undefined;
  /** Default: the current folder. */
  readonly projectPath?: string | undefined;
  /** Default: the home folder. */
  readonly userPath?: string | undefined;
  /** Default: the one that `entityRegistry` names. */
  readonly registry?: EntityRegistry | undefined;
  readonly activeAgent?: string | undefined;
}

export async function initializeWorkflowsSDK(options: InitializeOptions = {}): Promise<EntityRegistry> {
  await loadYamlParser();
  const registry = options.registry ?? entityRegistry;
  const catalog = loadCatalog({
    roots: rootsOf(options),
    activeAgent: options.activeAgent,
    ...(options.providers === undefined ? {} : { providers: options.providers }),
  });
  fillRegistry(registry, catalog);
  // Nodes look names up in these by default. A caller that passes its own registry also passes it to its runs.
  if (registry === entityRegistry) setDefaultRuntime({ entities: createNodeEntities(registry) });
  return registry;
}

/** Replaces what the registry holds. Built-ins that something hides stay reachable as `atomic:name`. */
export function fillRegistry(registry: EntityRegistry, catalog: Pick<Catalog, "agents" | "skills" | "commands">): void {
  registry.clear();
  for (const entity of builtinEntities()) registry.register(entity);
  for (const entity of [...catalog.agents, ...catalog.skills, ...catalog.commands]) registry.register(entity);
}

function rootsOf({ projectPath, userPath }: InitializeOptions): Roots {
  const homeDir = userPath ?? homeFolder(process.env);
  // A home that was passed in brings its own `.atomic`; ATOMIC_HOME belongs to the real one.
  const moved = userPath === undefined ? process.env["ATOMIC_HOME"] : undefined;
  return {
    projectDir: projectPath ?? process.cwd(),
    homeDir,
    atomicHome: moved === undefined || moved === "" ? join(homeDir, ".atomic") : moved,
  };
}
