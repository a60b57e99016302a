// The engine, as far as the loader of workflow files needs it: graphs out of what a file exports.

import type { GraphPort } from "../catalog/load/interpret-workflow.ts";
import { compileGraphConfig, type WorkflowGraphConfig } from "../workflows/graph/build/compile-config.ts";
import { CompiledGraph } from "../workflows/graph/compile/compiled-graph.ts";
import type { AnyGraph } from "../workflows/workflow-graph.ts";

// The graphs stay without a name here: the executor gives them theirs, with the version of their state.
export const graphPort: GraphPort<AnyGraph> = {
  compileConfig: (config) => compileGraphConfig(config as WorkflowGraphConfig<Record<string, unknown>>),
  fromFactory(value) {
    if (CompiledGraph.is(value)) return value;
    if (typeof value !== "object" || value === null || !("compile" in value)) return undefined;
    const compiled: unknown = typeof value.compile === "function" ? value.compile() : undefined;
    return CompiledGraph.is(compiled) ? compiled : undefined;
  },
};
