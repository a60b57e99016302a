// Looking at a workflow's graph: load it, which needs trust, compile it, and run no node of it.

import { AtomicError, type ErrorCode } from "../lib/errors.ts";
import type { TrustOptions } from "../catalog/trust/decide-trust.ts";
import { graphOf } from "../workflows/workflow-graph.ts";
import { graphView, type GraphView } from "./graph/graph-view.ts";
import { createWorkflowLoader, refusedFile } from "./workflow-loading.ts";
import type { Workspace } from "./workspace.ts";

type CheckSource = Pick<Workspace, "catalog" | "loader" | "parts">;

export interface WorkflowGraph {
  readonly name: string;
  readonly description: string;
  readonly graph: GraphView;
}

export async function workflowGraph(
  workspace: CheckSource,
  name: string,
  trust?: TrustOptions,
): Promise<WorkflowGraph> {
  const definition = await createWorkflowLoader(workspace, trust).load(name);
  const graph = graphView(graphOf(definition), definition.nodeDescriptions);
  return { name: definition.name, description: definition.description, graph };
}

export interface CheckResult {
  readonly name: string;
  readonly file?: string;
  readonly isValid: boolean;
  readonly nodes?: number;
  readonly edges?: number;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly details: object };
}

/** Every workflow, or those that are named. One that is wrong does not keep the others from being checked. */
export async function checkWorkflows(
  workspace: CheckSource,
  names: readonly string[],
  trust?: TrustOptions,
): Promise<readonly CheckResult[]> {
  const loader = createWorkflowLoader(workspace, trust);
  const { workflows, diagnostics } = workspace.catalog;
  const wanted = names.length > 0 ? names : workflows.map(({ info }) => info.name);
  const results: CheckResult[] = [];
  for (const name of wanted) {
    const entry = workflows.find(({ info }) => info.name === name);
    const file = entry?.file === undefined ? {} : { file: entry.file.path };
    try {
      const definition = await loader.load(name);
      const { nodes, edges } = graphView(graphOf(definition));
      results.push({ name: definition.name, ...file, isValid: true, nodes: nodes.length, edges: edges.length });
    } catch (thrown) {
      if (!AtomicError.is(thrown)) throw thrown;
      results.push({ name, ...file, ...invalid(thrown) });
    }
  }
  if (names.length === 0)
    for (const refused of diagnostics)
      if (refused.names?.[0] !== undefined && refused.severity === "error")
        results.push({ name: refused.names[0], ...invalid(refusedFile(refused)) });
  return results;
}

function invalid({ code, message, details }: AtomicError): Pick<CheckResult, "isValid" | "error" | "file"> {
  const file = typeof details["file"] === "string" ? { file: details["file"] } : {};
  return { ...file, isValid: false, error: { code, message, details } };
}
