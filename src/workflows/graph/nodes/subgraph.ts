// A node that runs another graph: by value, or by the name of a workflow, which is looked up when the node runs.
// The inner graph has its own records inside this visit, so after a crash it continues where it was.

import { AtomicError } from "../../../lib/errors.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import { CompiledGraph } from "../compile/compiled-graph.ts";
import type { CompiledSubgraph } from "../model/compiled-subgraph.ts";
import { noResolver } from "../model/default-runtime.ts";
import type { ExecutionContext, NodeDefinition } from "../model/node.ts";
import type { Runtime } from "../model/runtime.ts";
import type { ReturnedUpdate } from "../model/state.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";
import { intoOutputs } from "./tool.ts";

export type SubgraphRef<T extends object> = CompiledSubgraph<T> | string;

export type SubgraphOptions = Readonly<Record<string, Json>>;

export interface SubgraphNodeConfig<
  S extends object,
  T extends object = S,
  Id extends string = string,
> extends CommonNodeOptions<S> {
  readonly id: Id;
  readonly subgraph: SubgraphRef<T>;
  /** The inner graph's first state; default the outer one's. Missing keys come from its `createState`. */
  readonly inputMapper?: ((state: Readonly<S>) => Partial<T>) | undefined;
  /** Values of the options that the workflow declares; the others have their defaults. */
  readonly options?: SubgraphOptions | ((state: Readonly<S>) => SubgraphOptions) | undefined;
  /** What the inner graph's last state changes in the outer one; default: all of it, in `outputs[id]`. */
  readonly outputMapper?: ((subState: Readonly<T>, parentState: Readonly<S>) => ReturnedUpdate<S>) | undefined;
}

export function subgraphNode<S extends object, T extends object = S, const Id extends string = string>(
  config: SubgraphNodeConfig<S, T, Id>,
): NodeDefinition<S, Id>;
export function subgraphNode<S extends object, T extends object = S, const Id extends string = string>(
  id: Id,
  subgraph: SubgraphRef<T> | Omit<SubgraphNodeConfig<S, T, Id>, "id">,
  options?: Omit<SubgraphNodeConfig<S, T, Id>, "id" | "subgraph">,
): NodeDefinition<S, Id>;
export function subgraphNode<S extends object, T extends object = S, const Id extends string = string>(
  first: SubgraphNodeConfig<S, T, Id> | Id,
  second?: SubgraphRef<T> | Omit<SubgraphNodeConfig<S, T, Id>, "id">,
  options?: Omit<SubgraphNodeConfig<S, T, Id>, "id" | "subgraph">,
): NodeDefinition<S, Id> {
  const given = isRef<T>(second) ? { ...options, subgraph: second } : second;
  const config = withId<SubgraphNodeConfig<S, T, Id>>("subgraphNode", first, given);
  const { id, subgraph, inputMapper, options: values = {}, outputMapper } = config;
  if (!isRef<T>(subgraph))
    throw new AtomicError(
      "BUILDER_MISUSE",
      `subgraphNode "${id}": \`subgraph\` must be a compiled graph or the name of a workflow.`,
    );
  return {
    ...commonOf(config),
    id,
    type: "subgraph",
    subgraph,
    execute: async (context) => {
      const name = typeof subgraph === "string" ? subgraph : undefined;
      const inner = typeof subgraph === "string" ? await resolve<T>(subgraph, context.runtime) : subgraph;
      const input = inputMapper === undefined ? (context.state as object as Partial<T>) : inputMapper(context.state);
      const given = typeof values === "function" ? values(context.state) : values;
      const first = await firstState(context, inner, input, given);
      const output = await context.runSubgraph<T>(inner, first as T, { name });
      return {
        stateUpdate: outputMapper === undefined ? intoOutputs<S>(id, output) : outputMapper(output, context.state),
      };
    },
  };
}

/** Recorded: a resumed run starts the inner graph from the same state, whatever files say by then. */
async function firstState<S, T extends object>(
  context: ExecutionContext<S>,
  inner: CompiledSubgraph<T>,
  input: Partial<T>,
  options: SubgraphOptions,
): Promise<object> {
  const createState = CompiledGraph.is(inner) ? inner.config.createState : undefined;
  if (createState === undefined) return input;
  const { executionId } = context.state as { readonly executionId?: unknown };
  return context.step<JsonObject>("createState", () => {
    const run = context.runtime.startedWith;
    const given = input as Readonly<Record<string, unknown>>;
    return createState({ input: given, options, executionId: String(executionId), run }) as JsonObject;
  });
}

function isRef<T extends object>(value: unknown): value is SubgraphRef<T> {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && typeof (value as { execute?: unknown }).execute === "function";
}

async function resolve<T extends object>(name: string, runtime: Runtime): Promise<CompiledSubgraph<T>> {
  if (runtime.workflows === undefined) throw noResolver(name);
  const found = await runtime.workflows(name);
  if (found === null || found === undefined)
    throw new AtomicError("WORKFLOW_NOT_FOUND", `Workflow not found: ${name}`, { details: { name } });
  return found as CompiledSubgraph<T>;
}
