// From a workflow's name to its definition: a built-in's own, or that of a file, which is imported only if it is
// trusted. A factory may ask for other workflows while it builds (`resolveWorkflowRef`), and that call can't wait. So a
// name that is not loaded yet is noted, loaded, and the file is loaded again; a cycle of names is found on the way.

import { basename } from "node:path";
import type { WorkflowEntry } from "../catalog/catalog.ts";
import type { Diagnostic } from "../catalog/diagnostics.ts";
import type { LoadedWorkflow } from "../catalog/load/interpret-workflow.ts";
import type { WorkflowFileEntry } from "../catalog/load/module-loader.ts";
import { nameKey } from "../catalog/entity-name.ts";
import type { TrustOptions } from "../catalog/trust/decide-trust.ts";
import { notFoundText } from "../lib/not-found-text.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import type { BaseState } from "../workflows/graph/model/state.ts";
import { getWorkflowResolver, setWorkflowResolver } from "../workflows/graph/model/default-runtime.ts";
import type { StartParams, WorkflowDefinition, WorkflowStateParams } from "../workflows/definition.ts";
import { graphOf, type AnyGraph } from "../workflows/workflow-graph.ts";
import { startPlanOf } from "./start-plan.ts";
import type { Workspace } from "./workspace.ts";

export interface WorkflowLoader {
  /** By name or alias. Throws WORKFLOW_NOT_FOUND, NOT_TRUSTED, SDK_TOO_OLD or WORKFLOW_FILE_INVALID. */
  load(name: string): Promise<WorkflowDefinition>;
}

type LoaderWorkspace = Pick<Workspace, "catalog" | "parts"> & {
  readonly loader: Pick<Workspace["loader"], "loadWorkflow">;
};

/**
 * By name or alias. Throws WORKFLOW_FILE_INVALID when a file of this name was found and can't be used, otherwise
 * WORKFLOW_NOT_FOUND with the nearest name. Runs nothing.
 */
export function findWorkflow(
  catalog: Pick<Workspace["catalog"], "workflows" | "diagnostics">,
  name: string,
): WorkflowEntry {
  const key = nameKey(name.trim());
  const { workflows } = catalog;
  const found =
    workflows.find(({ info }) => nameKey(info.name) === key) ??
    workflows.find(({ info }) => info.aliases.some((alias) => nameKey(alias) === key));
  if (found !== undefined) return found;
  const [refused] = refusedFiles(catalog, name);
  if (refused !== undefined) throw refusedFile(refused);
  const names = workflows.flatMap(({ info }) => [info.name, ...info.aliases]);
  // People type the path of a file; what it is called is known.
  const sameFile = name.endsWith(".ts")
    ? workflows.find(({ file }) => basename(file?.path ?? "") === basename(name))
    : undefined;
  const problem =
    sameFile === undefined
      ? notFoundText("Workflow", name, names)
      : `Workflow not found: "${safeLine(name, 200)}" (a workflow is called by its name: "${sameFile.info.name}")`;
  const text = `${problem}. \`atomic workflows\` lists what there is.`;
  throw new AtomicError("WORKFLOW_NOT_FOUND", text, { details: { name } });
}

/** Files that were found under this name, or as this file, and can't be used. */
export function refusedFiles(
  { diagnostics }: Pick<Workspace["catalog"], "diagnostics">,
  name: string,
): readonly Diagnostic[] {
  const key = nameKey(name.trim());
  return diagnostics.filter(({ names = [], file = "" }) => {
    return names.some((each) => nameKey(each) === key) || (names.length > 0 && basename(file) === basename(name));
  });
}

export function refusedFile({ file = "", line, message }: Diagnostic): AtomicError {
  const place = line === undefined ? file : `${file}:${line}`;
  return new AtomicError("WORKFLOW_FILE_INVALID", `${safeLine(place, 400)} can't be used: ${message}`, {
    details: { file },
  });
}

/** `trust` may differ from file to file. */
export function createWorkflowLoader(
  workspace: LoaderWorkspace,
  trust: TrustOptions | ((entry: WorkflowFileEntry) => TrustOptions) = {},
): WorkflowLoader {
  const trustIn = typeof trust === "function" ? trust : (): TrustOptions => trust;
  const loaded = new Map<string, WorkflowDefinition>();
  const graphs = new Map<string, AnyGraph>();
  let last: Promise<unknown> = Promise.resolve();

  async function load(name: string, path: readonly string[]): Promise<WorkflowDefinition> {
    const entry = findWorkflow(workspace.catalog, name);
    const own = entry.info.name;
    const known = loaded.get(own);
    if (known !== undefined) return known;
    if (path.includes(own)) throw circle([...path.slice(path.indexOf(own)), own]);
    const definition = hasFile(entry) ? await loadFile(entry, [...path, own]) : await loadBuiltin(workspace, own);
    loaded.set(own, definition);
    return definition;
  }

  /** Repeatedly, until it asks for nothing that is not loaded yet. */
  async function loadFile(entry: WorkflowFileEntry, path: readonly string[]): Promise<WorkflowDefinition> {
    for (;;) {
      const missing = new Set<string>();
      let outcome: { readonly value: LoadedWorkflow<AnyGraph> } | { readonly thrown: unknown };
      const before = getWorkflowResolver();
      setWorkflowResolver((name) => resolve(name, missing));
      try {
        outcome = { value: await workspace.loader.loadWorkflow(entry, trustIn(entry)) };
      } catch (thrown) {
        outcome = { thrown };
      } finally {
        setWorkflowResolver(before);
      }
      const [next] = missing;
      if (next === undefined) {
        if ("thrown" in outcome) throw outcome.thrown;
        return definitionOf(outcome.value, entry);
      }
      await loadGraph(next, path);
    }
  }

  async function loadGraph(name: string, path: readonly string[]): Promise<AnyGraph> {
    const definition = await load(name, path);
    const graph = graphs.get(definition.name) ?? graphOf(definition);
    graphs.set(definition.name, graph);
    return graph;
  }

  function resolve(name: string, missing: Set<string>): AnyGraph | null {
    let own: string;
    try {
      own = findWorkflow(workspace.catalog, name).info.name;
    } catch (thrown) {
      // `null` means that there is no such workflow.
      if (AtomicError.is(thrown, "WORKFLOW_NOT_FOUND")) return null;
      throw thrown;
    }
    const graph = graphs.get(own);
    if (graph === undefined) missing.add(own);
    return graph ?? null;
  }

  return {
    // One after the other: while a file builds its graph, a process-wide resolver belongs to it.
    load(name) {
      const next = last.then(() => load(name, []));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

function hasFile(entry: WorkflowEntry): entry is WorkflowFileEntry {
  return entry.file !== undefined;
}

async function loadBuiltin({ parts }: Pick<Workspace, "parts">, name: string): Promise<WorkflowDefinition> {
  const builtin = parts.builtinWorkflows.find(({ metadata }) => metadata.name === name);
  if (builtin === undefined) throw new Error(`The built-in workflow "${name}" has no definition.`);
  return builtin.load();
}

function definitionOf(loaded: LoadedWorkflow<AnyGraph>, { source }: WorkflowFileEntry): WorkflowDefinition {
  const { info, graph, beforeStart, createState, migrateState, nodeDescriptions } = loaded;
  const { form: _, ...metadata } = info;
  return {
    ...metadata,
    source,
    nodeDescriptions,
    ...(graph === undefined ? {} : { createWorkflow: () => graph }),
    ...(beforeStart === undefined
      ? {}
      : { beforeStart: (params: StartParams) => startPlanOf(beforeStart, params, info.name) }),
    ...(createState === undefined
      ? {}
      : { createState: (params: WorkflowStateParams) => createState(params) as BaseState }),
    ...(migrateState === undefined
      ? {}
      : {
          migrateState: (state: Record<string, unknown>, from: number) =>
            migrateState(state, from) as Record<string, unknown>,
        }),
  };
}

function circle(path: readonly string[]): AtomicError {
  return new AtomicError("WORKFLOW_CYCLE", `Circular workflow dependency detected: ${path.join(" -> ")}`);
}
