// Nodes that run a function, or a tool by name. The result lands in `outputs[id]` unless a mapper says otherwise.

import { AtomicError } from "../../../lib/errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { ExecutionContext, NodeDefinition } from "../model/node.ts";
import type { ReturnedUpdate, StateUpdate } from "../model/state.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";

export type ToolOutputMapper<S, O = unknown> = (output: O, state: Readonly<S>) => ReturnedUpdate<S>;

export interface ToolNodeConfig<S, O = unknown, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  /** The function; gets the state, and the context after it. */
  readonly execute?: ((state: Readonly<S>, context: ExecutionContext<S>) => O | Promise<O>) | undefined;
  /** Or the name of a tool that the runtime knows. */
  readonly tool?: string | undefined;
  /** What a tool by name gets; default the whole state. */
  readonly input?: Json | ((state: Readonly<S>) => Json) | undefined;
  readonly outputMapper?: ToolOutputMapper<S, Awaited<O>> | undefined;
}

export function toolNode<S extends object, O = unknown, const Id extends string = string>(
  config: ToolNodeConfig<S, O, Id>,
): NodeDefinition<S, Id>;
export function toolNode<S extends object, O = unknown, const Id extends string = string>(
  id: Id,
  options: Omit<ToolNodeConfig<S, O, Id>, "id">,
): NodeDefinition<S, Id>;
export function toolNode<S extends object, O = unknown, const Id extends string = string>(
  first: ToolNodeConfig<S, O, Id> | Id,
  options?: Omit<ToolNodeConfig<S, O, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<ToolNodeConfig<S, O, Id>>("toolNode", first, options);
  const { id, execute, tool, outputMapper } = config;
  const isFunction = typeof execute === "function";
  if (isFunction === (typeof tool === "string") || (!isFunction && execute !== undefined)) {
    throw new AtomicError(
      "BUILDER_MISUSE",
      `toolNode "${id}": give either \`execute\` (a function) or \`tool\` (a name).`,
    );
  }
  return {
    ...commonOf(config),
    id,
    type: "tool",
    execute: async (context) => {
      const output = (
        execute === undefined ? await runByName(config, context) : await execute(context.state, context)
      ) as Awaited<O>;
      return {
        stateUpdate: outputMapper === undefined ? intoOutputs<S>(id, output) : outputMapper(output, context.state),
      };
    },
  };
}

async function runByName<S extends object>(
  config: Pick<ToolNodeConfig<S>, "id" | "tool" | "input">,
  context: ExecutionContext<S>,
): Promise<unknown> {
  const { id, tool = "", input } = config;
  const { tools } = context.runtime;
  if (tools === undefined)
    throw new AtomicError(
      "RUNTIME_MISSING",
      `Node "${id}" uses the tool "${tool}", and this run was started without tools.`,
    );
  const given =
    typeof input === "function"
      ? input(context.state)
      : (input ?? (context.state as Readonly<Record<string, unknown>> as Json));
  return tools.tool(tool).execute(given, { signal: context.signal });
}

/** `outputs` is merged, so this adds one entry and leaves the others. */
export function intoOutputs<S>(id: string, output: unknown): StateUpdate<S> {
  const update: Record<string, unknown> = { outputs: { [id]: output === undefined ? null : output } };
  return update as StateUpdate<S>;
}

export interface CustomToolNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  /** The name of a tool in `.atomic/tools`, or one that the host registered. */
  readonly tool: string;
  readonly args?: Json | ((state: Readonly<S>) => Json) | undefined;
  readonly outputMapper?: ToolOutputMapper<S> | undefined;
}

/** A discovered tool, by name. The same as toolNode with `tool`. */
export function customToolNode<S extends object, const Id extends string = string>(
  config: CustomToolNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function customToolNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<CustomToolNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function customToolNode<S extends object, const Id extends string = string>(
  first: CustomToolNodeConfig<S, Id> | Id,
  options?: Omit<CustomToolNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const { args, ...config } = withId<CustomToolNodeConfig<S, Id>>("customToolNode", first, options);
  if (typeof config.tool !== "string") {
    throw new AtomicError("BUILDER_MISUSE", `customToolNode "${config.id}": needs \`tool\`, the name of a tool.`);
  }
  return toolNode<S, unknown, Id>({ ...config, input: args });
}
