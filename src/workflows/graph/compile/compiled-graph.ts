// A graph that is valid and ready to run: nodes and edges indexed, never changed afterwards.
// Building one is in compile.ts; running one is in execute.ts.

import type { CompiledSubgraph } from "../model/compiled-subgraph.ts";
import type { Edge } from "../model/edge.ts";
import type { NodeDefinition, NodeId } from "../model/node.ts";
import type { GraphPlan } from "./plan.ts";
import type { Runtime } from "../model/runtime.ts";
import type { AnyAnnotation } from "../model/state.ts";

export interface CompileOptions<S extends object> {
  /** Shown in errors and events. */
  readonly name?: string | undefined;
  /** Record runs started with `execute` and `run`, in `checkpointDir`. */
  readonly checkpointing?: boolean | undefined;
  readonly checkpointDir?: string | ((state: Readonly<S>) => string) | undefined;
  /** Steps after which a run pauses; 0 = no limit; default 10,000. */
  readonly maxSteps?: number | undefined;
  /** How often one node may be reached in one branch before the run pauses; 0 = no limit, the default. */
  readonly maxVisits?: number | undefined;
  /** Where `maxVisits` is not set, the run's limit of iterations counts. Declarative graphs set it. */
  readonly hasRunLimit?: boolean | undefined;
  /** The version of the state's shape; a stored run of an older one needs `migrateState`. */
  readonly stateVersion?: number | undefined;
  readonly migrateState?:
    | ((state: Record<string, unknown>, fromVersion: number) => Record<string, unknown>)
    | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Creates the initial state when the graph is used as a subgraph; values that it is given there take precedence. */
  readonly createState?: ((start: SubgraphStart) => Record<string, unknown>) | undefined;
}

/** How a graph is started inside another. */
export interface SubgraphStart {
  /** What the outer graph passes in. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly executionId: string;
  /** What the run was started with; undefined where a graph is run without a workflow around it. */
  readonly run: Readonly<Record<string, unknown>> | undefined;
}

const graphBrand: unique symbol = Symbol.for("atomic.graph") as never;

/** Runs a graph for `execute` and `run`; passed in by compile.ts so that this file does not depend on scheduling. */
export type GraphRunner = <S extends object>(
  graph: CompiledGraph<S>,
  state: Partial<S>,
  runtime?: Runtime,
) => Promise<S>;

export class CompiledGraph<S extends object> implements CompiledSubgraph<S> {
  readonly nodes: ReadonlyMap<NodeId, NodeDefinition<S>>;
  readonly edges: readonly Edge<S>[];
  readonly startNode: NodeId;
  readonly annotations: Readonly<Record<string, AnyAnnotation | undefined>> | undefined;
  readonly config: CompileOptions<S>;
  /** Indexed form, for the scheduler. */
  readonly plan: GraphPlan;
  readonly #runner: GraphRunner;

  constructor(parts: {
    nodes: ReadonlyMap<NodeId, NodeDefinition<S>>;
    edges: readonly Edge<S>[];
    startNode: NodeId;
    annotations: Readonly<Record<string, AnyAnnotation | undefined>> | undefined;
    config: CompileOptions<S>;
    plan: GraphPlan;
    runner: GraphRunner;
  }) {
    Object.defineProperty(this, graphBrand, { value: true });
    this.nodes = parts.nodes;
    this.edges = parts.edges;
    this.startNode = parts.startNode;
    this.annotations = parts.annotations;
    this.config = parts.config;
    this.plan = parts.plan;
    this.#runner = parts.runner;
  }

  /** Runs to the end and returns the final state; throws when the run fails, or stops before the end. */
  execute(state: Partial<S> = {}, runtime?: Runtime): Promise<S> {
    return this.#runner(this, state, runtime);
  }

  run(state: Partial<S> = {}, runtime?: Runtime): Promise<S> {
    return this.#runner(this, state, runtime);
  }

  /** The same graph under other options; what is undefined here stays as it was. */
  withConfig(options: CompileOptions<S>): CompiledGraph<S> {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const { nodes, edges, startNode, annotations, plan } = this;
    const config = Object.freeze({ ...this.config, ...given });
    return new CompiledGraph<S>({ nodes, edges, startNode, annotations, plan, config, runner: this.#runner });
  }

  /** The same graph, with the run's iteration limit instead of its own. */
  withRunLimit(): CompiledGraph<S> {
    const { nodes, edges, startNode, annotations, plan } = this;
    const { maxVisits: _, ...rest } = this.config;
    const config = Object.freeze({ ...rest, hasRunLimit: true });
    return new CompiledGraph<S>({ nodes, edges, startNode, annotations, plan, config, runner: this.#runner });
  }

  static is(value: unknown): value is CompiledGraph<Record<string, unknown>> {
    return typeof value === "object" && value !== null && graphBrand in value;
  }
}
