// The part of a look at a project that only reads: settings, catalog and what was trusted. It knows no engine and no
// loader, so that a listing does not wait for them; workspace.ts adds those.

import { loadCatalog, type Catalog, type CatalogKind } from "../catalog/catalog.ts";
import { openWorkflowIndex } from "../catalog/discovery/workflow-index.ts";
import { createModuleReader, type ModuleReader } from "../catalog/modules/read-module.ts";
import type { WorkflowInfo } from "../catalog/modules/workflow-file.ts";
import { parseWorkflowOptions } from "../catalog/modules/workflow-options.ts";
import { resolveSettings, type Settings } from "../settings/resolve-settings.ts";
import type { AppParts, BuiltinWorkflow } from "./parts.ts";

export interface ListingWorkspace {
  readonly parts: AppParts;
  readonly settings: Settings;
  readonly catalog: Catalog;
  /** Shared with later loads, so that nothing is parsed twice in one start. */
  readonly reader: ModuleReader;
}

export interface ListingOptions {
  /** The agent in use, when it is not the one of the settings: its folders come first. */
  readonly agent?: string | undefined;
  /** Only these are wanted; the rest of the catalog stays empty. Default: all. */
  readonly only?: readonly CatalogKind[] | undefined;
}

export function openListing(parts: AppParts, options: ListingOptions = {}): ListingWorkspace {
  const { folders, environment, builtinWorkflows } = parts;
  const reader = createModuleReader();
  const settings = once(() => resolveSettings({ folders, environment }));
  const catalog = once(() =>
    loadCatalog({
      roots: folders,
      reader,
      index: openWorkflowIndex(folders.atomicHome),
      only: options.only,
      activeAgent: options.agent ?? settings().text("agent"),
      builtinWorkflows: builtinWorkflows.map(builtinInfo),
    }),
  );
  return {
    parts,
    reader,
    get settings() {
      return settings();
    },
    get catalog() {
      return catalog();
    },
  };
}

/** Calls `make` on first use, and only once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function builtinInfo({ metadata }: BuiltinWorkflow): WorkflowInfo {
  const { name, description, aliases = [], version, stateVersion, argumentHint, prompt = "required" } = metadata;
  return {
    name,
    description,
    aliases,
    form: "graph",
    options: parseWorkflowOptions(metadata.options).options,
    prompt,
    ...(version === undefined ? {} : { version }),
    ...(stateVersion === undefined ? {} : { stateVersion }),
    ...(argumentHint === undefined ? {} : { argumentHint }),
  };
}
