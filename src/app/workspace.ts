// One look at a project: settings, catalog, trust and the loader of its files, each created on first use and
// once. It shows the disk as it was; after a change, open a new one.

import { createModuleHost } from "../catalog/load/module-host.ts";
import { createModuleLoader, type ModuleLoader } from "../catalog/load/module-loader.ts";
import { createTrustStore, type TrustStore } from "../catalog/trust/trust-store.ts";
import { version } from "../lib/version.ts";
import type { AnyGraph } from "../workflows/workflow-graph.ts";
import { graphPort } from "./graph-port.ts";
import { once, openListing, type ListingOptions, type ListingWorkspace } from "./listing-workspace.ts";
import type { AppParts } from "./parts.ts";

export interface Workspace extends ListingWorkspace {
  readonly trust: TrustStore;
  readonly loader: ModuleLoader<AnyGraph>;
}

export function openWorkspace(parts: AppParts, options: Omit<ListingOptions, "only"> = {}): Workspace {
  const { folders, clock, hostModules } = parts;
  const listing = openListing(parts, options);
  const trust = once(() => createTrustStore(folders.atomicHome, clock));
  const loader = once(() =>
    createModuleLoader<AnyGraph>({
      host: createModuleHost(hostModules, clock),
      graph: graphPort,
      store: trust(),
      atomicHome: folders.atomicHome,
      sdkVersion: version,
      clock,
      reader: listing.reader,
    }),
  );
  return {
    parts,
    reader: listing.reader,
    get settings() {
      return listing.settings;
    },
    get catalog() {
      return listing.catalog;
    },
    get trust() {
      return trust();
    },
    get loader() {
      return loader();
    },
  };
}
