// One look at a project: settings, catalog, trust and the loader of its files, each made when it is first asked for and
// once. It shows the disk as it was; after a change, open another.

import { loadCatalog, type Catalog } from "../catalog/catalog.ts";
import { createModuleHost } from "../catalog/load/module-host.ts";
import { createModuleLoader, type ModuleLoader } from "../catalog/load/module-loader.ts";
import { createModuleReader } from "../catalog/modules/read-module.ts";
import type { WorkflowInfo } from "../catalog/modules/workflow-file.ts";
import { parseWorkflowOptions } from "../catalog/modules/workflow-options.ts";
import { createTrustStore, type TrustStore } from "../catalog/trust/trust-store.ts";
import { version } from "../lib/version.ts";
import { resolveSettings, type Settings } from "../settings/resolve-settings.ts";
import type { AnyGraph } from "../workflows/workflow-graph.ts";
import { graphPort } from "./graph-port.ts";
import type { AppParts, BuiltinWorkflow } from "./parts.ts";

export interface Workspace {
  readonly parts: AppParts;
  readonly settings: Settings;
  readonly catalog: Catalog;
  readonly trust: TrustStore;
  readonly loader: ModuleLoader<AnyGraph>;
}

export interface WorkspaceOptions {
  /** The agent in use, when it is not the one of the settings: its folders come first. */
  readonly agent?: string | undefined;
}

export function openWorkspace(parts: AppParts, options: WorkspaceOptions = {}): Workspace {
  const { place, environment, clock, hostModules, builtinWorkflows } = parts;
  // Shared, so that nothing is parsed twice in one start.
  const reader = createModuleReader();
  const settings = once(() => resolveSettings({ place, environment }));
  const trust = once(() => createTrustStore(place.atomicHome, clock));
  const catalog = once(() =>
    loadCatalog({
      roots: place,
      reader,
      activeAgent: options.agent ?? settings().text("agent"),
      builtinWorkflows: builtinWorkflows.map(builtinInfo),
    }),
  );
  const loader = once(() =>
    createModuleLoader<AnyGraph>({
      host: createModuleHost(hostModules, clock),
      graph: graphPort,
      store: trust(),
      atomicHome: place.atomicHome,
      sdkVersion: version,
      clock,
      reader,
    }),
  );
  return {
    parts,
    get settings() {
      return settings();
    },
    get catalog() {
      return catalog();
    },
    get trust() {
      return trust();
    },
    get loader() {
      return loader();
    },
  };
}

function builtinInfo({ metadata }: BuiltinWorkflow): WorkflowInfo {
  const { name, description, aliases = [], version: own, stateVersion, argumentHint, prompt = "required" } = metadata;
  return {
    name,
    description,
    aliases,
    form: "graph",
    options: parseWorkflowOptions(metadata.options).options,
    prompt,
    ...(own === undefined ? {} : { version: own }),
    ...(stateVersion === undefined ? {} : { stateVersion }),
    ...(argumentHint === undefined ? {} : { argumentHint }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
