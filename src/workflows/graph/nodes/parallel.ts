// A node that runs branches at the same time. Their updates are folded in the order they are declared here, whatever
// finishes first.

import { AtomicError } from "../../../lib/errors.ts";
import type { CompiledSubgraph } from "../model/compiled-subgraph.ts";
import type { NodeDefinition, NodeId, ParallelBranch, ParallelSpec, ParallelStrategy } from "../model/node.ts";
import { withId } from "./node-id.ts";
import { subgraphNode } from "./subgraph.ts";

/** A node, a chain of nodes, a separate graph, or the id of a node of the same graph. */
export type BranchSource<S extends object> =
  | NodeDefinition<S>
  | readonly NodeDefinition<S>[]
  | CompiledSubgraph<S>
  | NodeId;

export interface ParallelNodeConfig<S extends object, Id extends string = string> {
  readonly id: Id;
  /** A list, or an object whose keys name the branches. */
  readonly branches: readonly BranchSource<S>[] | Readonly<Record<string, BranchSource<S>>>;
  /** all: every branch must succeed. race: the first to finish wins. any: the first to succeed wins. */
  readonly strategy?: ParallelStrategy | undefined;
  /** Branches that run at the same time; default 16. */
  readonly concurrency?: number | undefined;
  /** Replaces the fold of the branches' updates. Must be pure. */
  readonly merge?: ParallelSpec<S>["merge"];
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Where to go when no branch succeeds. */
  readonly onError?: NodeId | undefined;
}

const defaultConcurrency = 16;

export function parallelNode<S extends object, const Id extends string = string>(
  config: ParallelNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function parallelNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<ParallelNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function parallelNode<S extends object, const Id extends string = string>(
  first: ParallelNodeConfig<S, Id> | Id,
  options?: Omit<ParallelNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const {
    id,
    branches,
    strategy = "all",
    concurrency = defaultConcurrency,
    merge,
    ...rest
  } = withId<ParallelNodeConfig<S, Id>>("parallelNode", first, options);
  if (typeof branches !== "object" || branches === null)
    throw new AtomicError("BUILDER_MISUSE", `parallelNode "${id}": needs \`branches\`.`);
  const isList = Array.isArray(branches);
  const laidOut = Object.entries(branches as Readonly<Record<string, BranchSource<S>>>).map(([key, source]) =>
    layOut(id, isList ? undefined : key, Number(key), source),
  );
  const parallel: ParallelSpec<S> = {
    branches: laidOut,
    strategy,
    concurrency,
    ...(merge === undefined ? {} : { merge }),
  };
  return { ...rest, id, type: "parallel", parallel };
}

function layOut<S extends object>(
  parallelId: string,
  key: string | undefined,
  place: number,
  source: BranchSource<S>,
): ParallelBranch<S> {
  if (typeof source === "string") return { name: key ?? source, nodes: source };
  if (isNodeList(source)) return { name: key ?? source[0]?.id ?? `branch-${place + 1}`, nodes: source };
  if (typeof source === "object" && source !== null && "id" in source)
    return { name: key ?? source.id, nodes: [source] };
  if (typeof source === "object" && source !== null && "execute" in source) {
    const name = key ?? `branch-${place + 1}`;
    return {
      name,
      nodes: [subgraphNode<S, S>({ id: `${parallelId}/${name}`, subgraph: source, outputMapper: (sub) => sub })],
    };
  }
  throw new AtomicError(
    "BUILDER_MISUSE",
    `parallelNode "${parallelId}": branch ${key ?? place + 1} must be a node, a list of nodes, a compiled graph or the id of a node.`,
  );
}

function isNodeList<S extends object>(source: BranchSource<S>): source is readonly NodeDefinition<S>[] {
  return Array.isArray(source);
}
