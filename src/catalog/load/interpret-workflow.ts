// Interprets a loaded workflow module: which of the three forms it has, and all of its faults at once. The engine
// compiles graphs, through a port; no node is run here.

import { AtomicError } from "../../lib/errors.ts";
import { Refusal } from "../diagnostics.ts";
import { parseEntityName } from "../entity-name.ts";
import { sdkVersionProblem, type WorkflowForm, type WorkflowInfo } from "../modules/workflow-file.ts";
import type { PlainObject } from "../plain-data.ts";
import { parseWorkflowOptions, type PromptUse } from "../modules/workflow-options.ts";
import { fileInvalid, graphFaults, type LoadFault } from "./load-faults.ts";
import type { ModuleNamespace } from "./module-host.ts";

/** The engine, as far as a loader needs it. `G` is a compiled graph. */
export interface GraphPort<G> {
  /** Compiles an exported `graphConfig`; throws GRAPH_INVALID with `details.faults`. */
  compileConfig(config: object, name: string): G;
  /**
   * The compiled graph in what a factory returned (a graph, or a builder to be compiled); undefined when it is
   * neither.
   */
  fromFactory(value: unknown, name: string): G | undefined;
}

export interface LoadedWorkflow<G> {
  readonly info: WorkflowInfo;
  /** Absent for the metadata-only form: its prompt goes to the chat. */
  readonly graph?: G;
  /** The graph for another configuration; only factories have one. */
  readonly create?: (config: Readonly<Record<string, unknown>>) => Promise<G>;
  readonly beforeStart?: (params: unknown) => unknown;
  readonly createState?: (params: unknown) => unknown;
  readonly migrateState?: (state: unknown, fromVersion: number) => unknown;
  readonly nodeDescriptions: Readonly<Record<string, string>>;
}

export interface InterpretOptions<G> {
  readonly file: string;
  readonly listed: WorkflowInfo;
  readonly sdkVersion: string;
  readonly graph: GraphPort<G>;
  readonly limitMs: number;
  /** Calls the author's factory with a time limit. The result is boxed, because a builder looks like a promise. */
  readonly call: (factory: () => unknown) => Promise<{ readonly made: unknown }>;
}

export async function interpretWorkflow<G>(
  module: ModuleNamespace,
  options: InterpretOptions<G>,
): Promise<LoadedWorkflow<G>> {
  const faults: LoadFault[] = [];
  const form = formOf(module, faults);
  const info = infoOf(module, form, options, faults);
  const beforeStart = functionAt(module, "beforeStart", faults);
  const createState = functionAt(module, "createState", faults);
  const migrateState = functionAt(module, "migrateState", faults);
  const nodeDescriptions = descriptionsOf(module, faults);
  const create = form === "factory" ? factoryOf(module, info.name, options) : undefined;
  let graph: G | undefined;
  try {
    if (form === "graph") graph = options.graph.compileConfig(configOf(module, faults), info.name);
    else if (create !== undefined) graph = await create(info.defaultConfig ?? {});
  } catch (thrown) {
    const path = form === "graph" ? "graphConfig" : "default";
    faults.push(...graphFaults(thrown, path, options.file, options.limitMs));
  }
  if (faults.length > 0) throw fileInvalid(options.file, faults);
  return {
    info,
    ...(graph === undefined ? {} : { graph }),
    ...(create === undefined ? {} : { create }),
    ...(beforeStart === undefined ? {} : { beforeStart }),
    ...(createState === undefined ? {} : { createState }),
    ...(migrateState === undefined ? {} : { migrateState }),
    nodeDescriptions,
  };
}

function formOf(module: ModuleNamespace, faults: LoadFault[]): WorkflowForm {
  const hasConfig = module["graphConfig"] !== undefined;
  const factory = module["default"];
  if (factory !== undefined && typeof factory !== "function") {
    const problem = "must be a function `(config) => graph`; a declarative graph is exported as `graphConfig`";
    faults.push({ path: "default", problem });
  } else if (hasConfig && factory !== undefined) {
    faults.push({ path: "default", problem: "is exported together with `graphConfig`; export only one of them" });
  }
  if (hasConfig) return "graph";
  return factory === undefined ? "prompt" : "factory";
}

function configOf(module: ModuleNamespace, faults: LoadFault[]): object {
  const config = module["graphConfig"];
  if (typeof config === "object" && config !== null && !Array.isArray(config)) return config;
  faults.push({ path: "graphConfig", problem: "must be an object with nodes, edges and startNode" });
  return { nodes: [], edges: [], startNode: "" };
}

function factoryOf<G>(
  module: ModuleNamespace,
  name: string,
  options: InterpretOptions<G>,
): ((config: Readonly<Record<string, unknown>>) => Promise<G>) | undefined {
  const factory = module["default"];
  if (typeof factory !== "function") return undefined;
  return async (config) => {
    const { made } = await options.call((): unknown => factory(config));
    const graph = options.graph.fromFactory(made, name);
    if (graph !== undefined) return graph;
    throw new AtomicError("WORKFLOW_FILE_INVALID", "returned neither a compiled graph nor a graph builder");
  };
}

/** What the listing shows, plus what only the loaded module knows. */
function infoOf<G>(
  module: ModuleNamespace,
  form: WorkflowForm,
  options: InterpretOptions<G>,
  faults: LoadFault[],
): WorkflowInfo {
  const { listed } = options;
  const parsed = parseWorkflowOptions(module["options"]);
  faults.push(...parsed.faults);
  checkName(module["name"], listed, faults);
  const stateVersion = numberAt(module, "stateVersion", faults);
  const minSDKVersion = textAt(module, "minSDKVersion", faults);
  const problem = sdkVersionProblem(minSDKVersion, options.sdkVersion);
  if (problem !== undefined) faults.push({ path: "minSDKVersion", problem });
  const defaultConfig = module["defaultConfig"];
  if (defaultConfig !== undefined && (typeof defaultConfig !== "object" || defaultConfig === null)) {
    faults.push({ path: "defaultConfig", problem: "must be an object" });
  }
  return {
    ...listed,
    form,
    options: parsed.options,
    prompt: promptUse(module["prompt"], faults),
    ...(isTrue(module, "verifiesItself", faults) ? { verifiesItself: true as const } : {}),
    description: textAt(module, "description", faults) ?? listed.description,
    ...(stateVersion === undefined ? {} : { stateVersion }),
    ...(minSDKVersion === undefined ? {} : { minSDKVersion }),
    ...(defaultConfig === undefined ? {} : { defaultConfig: defaultConfig as PlainObject }),
  };
}

/** A workflow's name must be the one it is listed under; one with a computed name is listed under its file's name. */
function checkName(name: unknown, listed: WorkflowInfo, faults: LoadFault[]): void {
  if (name === undefined) return;
  try {
    if (typeof name === "string" && parseEntityName(name) === listed.name) return;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
  }
  const problem = `must be the literal under which the workflow is listed ("${listed.name}"), is ${JSON.stringify(name)}`;
  faults.push({ path: "name", problem });
}

function promptUse(value: unknown, faults: LoadFault[]): PromptUse {
  if (value === undefined) return "required";
  if (value === "required" || value === "optional" || value === "none") return value;
  faults.push({ path: "prompt", problem: 'must be "required", "optional" or "none"' });
  return "required";
}

function functionAt(
  module: ModuleNamespace,
  name: string,
  faults: LoadFault[],
): ((...parameters: readonly unknown[]) => unknown) | undefined {
  const value = module[name];
  if (value === undefined) return undefined;
  if (typeof value === "function") return (...parameters) => value(...parameters) as unknown;
  faults.push({ path: name, problem: "must be a function" });
  return undefined;
}

function isTrue(module: ModuleNamespace, name: string, faults: LoadFault[]): boolean {
  const value = module[name];
  if (value === undefined || typeof value === "boolean") return value === true;
  faults.push({ path: name, problem: "must be true or false" });
  return false;
}

function numberAt(module: ModuleNamespace, name: string, faults: LoadFault[]): number | undefined {
  const value = module[name];
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 0)) return value;
  faults.push({ path: name, problem: "must be a whole number" });
  return undefined;
}

function textAt(module: ModuleNamespace, name: string, faults: LoadFault[]): string | undefined {
  const value = module[name];
  if (value === undefined || typeof value === "string") return value;
  faults.push({ path: name, problem: "must be text" });
  return undefined;
}

function descriptionsOf(module: ModuleNamespace, faults: LoadFault[]): Readonly<Record<string, string>> {
  const value = module["nodeDescriptions"];
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    faults.push({ path: "nodeDescriptions", problem: "must be an object of texts, by node id" });
    return {};
  }
  const texts: Record<string, string> = {};
  for (const [node, text] of Object.entries(value)) {
    if (typeof text === "string") texts[node] = text;
    else faults.push({ path: `nodeDescriptions.${node}`, problem: "must be text" });
  }
  return texts;
}
