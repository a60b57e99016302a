// The declarative way to build a graph: nodes, edges and annotations as data, as a workflow file exports them.

import { AtomicError } from "../../../lib/errors.ts";
import { compileGraph } from "../compile/compile.ts";
import type { CompiledGraph, CompileOptions } from "../compile/compiled-graph.ts";
import type { Edge } from "../model/edge.ts";
import type { NodeDefinition, NodeType } from "../model/node.ts";
import { runToState } from "../run/run-to-state.ts";
import type { BaseState, StateAnnotations } from "../model/state.ts";
import { describeValue } from "../compile/graph-faults.ts";

/** Where the ids of the nodes are known as literals, an edge to any other id does not compile. */
export interface WorkflowGraphConfig<S extends object = BaseState, Id extends string = string> {
  readonly nodes: readonly NodeDefinition<S, Id>[];
  readonly edges: readonly Edge<S, NoInfer<Id>>[];
  readonly startNode: NoInfer<Id>;
  /** Reducers and defaults by state key; a key without one is replaced by each update. */
  readonly stateAnnotations?: StateAnnotations<S> | undefined;
  /** How often one node may be reached in one branch before the run pauses; 0 = no limit; default: the run's, 100. */
  readonly maxIterations?: number | undefined;
}

/** A config of any state: what a definition holds without knowing its state's type. */
export interface AnyGraphConfig {
  readonly nodes: readonly { readonly id: string; readonly type: NodeType }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly startNode: string;
  readonly stateAnnotations?: object | undefined;
  readonly maxIterations?: number | undefined;
}

export function compileGraphConfig<S extends object = BaseState, const Id extends string = string>(
  config: WorkflowGraphConfig<S, Id>,
  options: CompileOptions<S> = {},
): CompiledGraph<S> {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new AtomicError(
      "GRAPH_INVALID",
      `A graph config is an object { startNode, nodes, edges }, this is ${describeValue(config)}.`,
    );
  }
  return compileGraph<S>(
    {
      nodes: config.nodes,
      edges: config.edges,
      startNode: config.startNode,
      annotations: config.stateAnnotations,
      config: { maxVisits: config.maxIterations, hasRunLimit: true, ...options },
    },
    runToState,
  );
}
