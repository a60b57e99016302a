// A node that only chooses where to go. Its choice is recorded, so a condition may read more than the state.

import { AtomicError } from "../../../lib/errors.ts";
import type { NodeDefinition, NodeId } from "../model/node.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";

export interface DecisionRoute<S> {
  readonly condition: (state: Readonly<S>) => boolean | Promise<boolean>;
  readonly target: NodeId;
  readonly label?: string | undefined;
}

export interface DecisionNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  /** Tried in order; the first whose condition is true is taken. */
  readonly routes: readonly DecisionRoute<S>[];
  /** Where to go when no condition is true. */
  readonly fallback: NodeId;
}

export function decisionNode<S extends object, const Id extends string = string>(
  config: DecisionNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function decisionNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<DecisionNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function decisionNode<S extends object, const Id extends string = string>(
  first: DecisionNodeConfig<S, Id> | Id,
  options?: Omit<DecisionNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<DecisionNodeConfig<S, Id>>("decisionNode", first, options);
  const { id, routes, fallback } = config;
  if (!Array.isArray(routes) || typeof fallback !== "string") {
    throw new AtomicError(
      "BUILDER_MISUSE",
      `decisionNode "${id}": needs \`routes\` (a list of { condition, target }) and \`fallback\` (the id of a node).`,
    );
  }
  routes.forEach((route: Partial<DecisionRoute<S>> | null, i) => {
    if (typeof route?.condition === "function" && typeof route.target === "string") return;
    throw new AtomicError(
      "BUILDER_MISUSE",
      `decisionNode "${id}": routes[${i}] needs \`condition\` (a function of the state) and \`target\` (the id of a node).`,
    );
  });
  return {
    ...commonOf(config),
    id,
    type: "decision",
    targets: [...new Set([...routes.map((route: DecisionRoute<S>) => route.target), fallback])],
    execute: async ({ state }) => {
      for (const route of routes) if (await route.condition(state)) return { goto: route.target };
      return { goto: fallback };
    },
  };
}

export function createDecisionNode<S extends object, const Id extends string = string>(
  id: Id,
  routes: readonly DecisionRoute<S>[],
  fallback: NodeId,
): NodeDefinition<S, Id> {
  return decisionNode<S, Id>({ id, routes, fallback });
}
