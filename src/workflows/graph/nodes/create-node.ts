// A node with an author's body; every other factory could be written with it.

import { AtomicError } from "../../../lib/errors.ts";
import type { NodeBody, NodeDefinition, NodeId, NodeType } from "../model/node.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";

export interface CreateNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  readonly type?: NodeType | undefined;
  readonly execute: NodeBody<S>;
  /** Nodes the body may `goto`. */
  readonly targets?: readonly NodeId[] | undefined;
}

export function createNode<S extends object, const Id extends string = string>(
  config: CreateNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function createNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<CreateNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function createNode<S extends object, const Id extends string = string>(
  first: CreateNodeConfig<S, Id> | Id,
  options?: Omit<CreateNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<CreateNodeConfig<S, Id>>("createNode", first, options);
  const { id, type = "tool", execute, targets } = config;
  if (typeof execute !== "function") {
    throw new AtomicError("BUILDER_MISUSE", `createNode "${id}": needs \`execute\`, a function of the context.`);
  }
  return { ...commonOf(config), id, type, execute, ...(targets === undefined ? {} : { targets }) };
}
