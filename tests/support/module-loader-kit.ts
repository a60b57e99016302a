// A loader of workflow files with a fake SDK and fake graphs, for tests.

import { systemClock } from "../../src/lib/clock.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import { loadCatalog, type WorkflowEntry } from "../../src/catalog/catalog.ts";
import { createTrustStore } from "../../src/catalog/trust/trust-store.ts";
import type { GraphPort, LoadedWorkflow } from "../../src/catalog/load/interpret-workflow.ts";
import { createModuleHost } from "../../src/catalog/load/module-host.ts";
import { createModuleLoader, type ModuleLoader, type WorkflowFileEntry } from "../../src/catalog/load/module-loader.ts";
import { tempTree, type TempTree, type TreeFile } from "./temp-tree.ts";

/** Stands for the SDK: what counts is that author and host share it. */
export const sdk = { graph: (nodes: string[]) => ({ nodes }), seen: [] as unknown[], default: "the default" };
export const host = createModuleHost({ "atomic/workflows": () => sdk, zod: () => import("zod") }, systemClock);

export interface FakeGraph {
  readonly nodes: readonly string[];
}

export const graph: GraphPort<FakeGraph> = {
  compileConfig(config) {
    if ("nodes" in config && Array.isArray(config.nodes)) return { nodes: config.nodes };
    const faults = [{ path: "nodes", problem: "must be a list of nodes" }];
    throw new AtomicError("GRAPH_INVALID", "invalid", { details: { faults } });
  },
  fromFactory: (value) =>
    typeof value === "object" && value !== null && "nodes" in value ? (value as FakeGraph) : undefined,
};

export function loaderFor(tree: TempTree, limitMs = 2000): ModuleLoader<FakeGraph> {
  const atomicHome = tree.path("home/.atomic");
  const store = createTrustStore(atomicHome, systemClock);
  return createModuleLoader({ host, graph, store, atomicHome, sdkVersion: "0.5.0", clock: systemClock, limitMs });
}

export function catalogOf(tree: TempTree) {
  const roots = { projectDir: tree.path("p"), homeDir: tree.path("home"), atomicHome: tree.path("home/.atomic") };
  return loadCatalog({ roots });
}

export function workflowOf(tree: TempTree, name = "w"): WorkflowFileEntry {
  const isWanted = (entry: WorkflowEntry): entry is WorkflowFileEntry =>
    entry.info.name === name && entry.file !== undefined;
  const entry = catalogOf(tree).workflows.find(isWanted);
  if (entry === undefined) throw new Error(`no workflow ${name}`);
  return entry;
}

export const trusted = { isTrustedForThisRun: true };

export async function load(tree: TempTree, name?: string): Promise<LoadedWorkflow<FakeGraph>> {
  return loaderFor(tree).loadWorkflow(workflowOf(tree, name), trusted);
}

/** `w.ts` exports something of a workflow in every test, without a line more. */
export function project(files: Readonly<Record<string, TreeFile>>): TempTree {
  const placed = Object.entries(files).map(([path, file]): [string, TreeFile] => {
    const isWorkflow = path === "w.ts" && typeof file === "string";
    return [`p/.atomic/workflows/${path}`, isWorkflow ? `export const version = "1.0.0"; ${file}` : file];
  });
  return tempTree(Object.fromEntries(placed));
}

export async function failureOf(promise: Promise<unknown>): Promise<AtomicError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (AtomicError.is(thrown)) return thrown;
  throw new Error("expected an AtomicError", { cause: thrown });
}
