// Compiles nodes and edges to a graph that can run: validates, lays out parallel nodes, indexes. The builder and
// declarative configs both use it, so both get the same checks.

import type { CompileOptions, GraphRunner } from "./compiled-graph.ts";
import { CompiledGraph } from "./compiled-graph.ts";
import type { Edge } from "../model/edge.ts";
import { expandParallel } from "./expand-parallel.ts";
import type { NodeDefinition } from "../model/node.ts";
import type { AnyNode } from "./plan.ts";
import { createPlan } from "./plan.ts";
import type { AnyAnnotation } from "../model/state.ts";
import { throwFaults } from "./graph-faults.ts";
import type { AnyEdge } from "./validate.ts";
import { findUnknownIds, findUnreachable } from "./validate.ts";
import { checkParts } from "./validate-parts.ts";

export interface GraphSource<S extends object> {
  readonly nodes: readonly NodeDefinition<S>[];
  readonly edges: readonly Edge<S>[];
  readonly startNode: string;
  readonly annotations: Readonly<Record<string, AnyAnnotation | undefined>> | undefined;
  /** Where a failure goes that no node handles itself. */
  readonly errorNode?: string | undefined;
  readonly config: CompileOptions<S>;
}

export function compileGraph<S extends object>(source: GraphSource<S>, runner: GraphRunner): CompiledGraph<S> {
  // From here on the state's type is not needed: nodes are run, not inspected.
  const nodes = source.nodes as readonly NodeDefinition<never>[] as readonly AnyNode[];
  const edges = source.edges as readonly Edge<never>[] as readonly AnyEdge[];
  const { startNode, annotations, errorNode } = source;
  const { name } = source.config;
  const checked = checkParts({ nodes, edges, startNode, annotations, options: source.config });
  throwFaults(name, [...checked.faults, ...findUnknownIds({ edges, startNode, errorNode }, checked)]);
  const expanded = expandParallel(nodes, edges, checked.ids);
  throwFaults(name, expanded.faults);
  const plan = createPlan({ nodes: expanded.nodes, edges: expanded.edges, startNode, errorNode });
  throwFaults(name, findUnreachable(plan));
  const byId = new Map<string, NodeDefinition<S>>();
  for (const node of expanded.nodes) byId.set(node.id, node as NodeDefinition<never> as NodeDefinition<S>);
  return new CompiledGraph<S>({
    nodes: byId,
    edges: expanded.edges as readonly Edge<never>[] as readonly Edge<S>[],
    startNode,
    annotations,
    config: Object.freeze({ ...source.config }),
    plan,
    runner,
  });
}
