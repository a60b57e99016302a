// The fluent way to build a graph. Every call checks its own use and throws at once, naming the call; the graph as a
// whole is validated by compile(). If and loop become control nodes: they route and leave no record.

import { AtomicError } from "../../../lib/errors.ts";
import { compileGraph } from "../compile/compile.ts";
import type { CompiledGraph, CompileOptions } from "../compile/compiled-graph.ts";
import type { Edge } from "../model/edge.ts";
import type { NodeDefinition, NodeId } from "../model/node.ts";
import type { ParallelNodeConfig } from "../nodes/parallel.ts";
import { parallelNode } from "../nodes/parallel.ts";
import type { SubagentNodeConfig } from "../nodes/subagent.ts";
import { subagentNode } from "../nodes/subagent.ts";
import type { ToolNodeConfig } from "../nodes/tool.ts";
import { toolNode } from "../nodes/tool.ts";
import { waitNode } from "../nodes/wait.ts";
import { runToState } from "../run/run-to-state.ts";
import type { AnyAnnotation, BaseState, StateOf, StateUpdate } from "../model/state.ts";

export interface LoopConfig<S> {
  /** Checked after each iteration: true leaves the loop. A pure function of the state. */
  readonly until: (state: Readonly<S>) => boolean;
  /**
   * Reaching it leaves the loop and sets `maxIterationsReached`; 0 = no limit. Without it, the run's own limit counts
   * (100 by default), and reaching that pauses the run.
   */
  readonly maxIterations?: number | undefined;
}

/** An edge whose target is not known yet. */
interface LooseEnd<S> {
  readonly from: NodeId;
  readonly condition?: ((state: Readonly<S>) => boolean) | undefined;
}

interface OpenIf<S> {
  readonly id: NodeId;
  readonly closedEnds: LooseEnd<S>[];
  hasElse: boolean;
}

/** `parallel` and `wait` generate an id when none is given. */
type WithOptionalId<C extends { readonly id: string }> = Omit<C, "id"> & { readonly id?: string | undefined };

/**
 * The compiler accepts unknown keys in what a function returns, as long as one key is right. Naming the
 * returned type, and forbidding every key of it that the state lacks, makes it reject them.
 */
type WithExactMapper<C extends { readonly outputMapper?: unknown }, S, U> = Omit<C, "outputMapper"> & {
  readonly outputMapper?:
    | ((...given: MapperInput<C["outputMapper"]>) => U & { readonly [K in Exclude<keyof U, keyof S>]: never })
    | undefined;
};
type MapperInput<M> = M extends (...given: infer P) => unknown ? P : never;

export class GraphBuilder<S extends object> {
  readonly #annotations: Readonly<Record<string, AnyAnnotation>> | undefined;
  readonly #nodes = new Map<NodeId, NodeDefinition<S>>();
  /** Includes the ids of nodes in branches. */
  readonly #ids = new Set<NodeId>();
  readonly #edges: Edge<S>[] = [];
  readonly #ifs: OpenIf<S>[] = [];
  readonly #counts = new Map<string, number>();
  #start: NodeId | undefined;
  #ends: LooseEnd<S>[] = [];
  #errorNode: NodeId | undefined;

  constructor(annotations?: Readonly<Record<string, AnyAnnotation>>) {
    this.#annotations = annotations;
  }

  start(node: NodeDefinition<S>): this {
    if (this.#start !== undefined)
      throw misuse(
        "start",
        `the graph already starts at "${this.#start}"; use then("${nameOf(node)}") for what follows`,
      );
    this.#add("start", node);
    this.#start = node.id;
    this.#ends = [{ from: node.id }];
    return this;
  }

  then(node: NodeDefinition<S>): this {
    // Anything with a `then` looks like a promise: this is how `await` calls a builder.
    if (typeof node === "function") {
      throw misuse("then", "a builder can't be awaited, or returned by an async function; compile() it first");
    }
    return this.#append("then", node);
  }

  subagent<U extends StateUpdate<S>>(config: WithExactMapper<SubagentNodeConfig<S>, S, U>): this {
    return this.#append("subagent", subagentNode<S>(config));
  }

  tool<O, U extends StateUpdate<S>>(config: WithExactMapper<ToolNodeConfig<S, O>, S, U>): this {
    return this.#append("tool", toolNode<S, O>(config));
  }

  parallel(config: NodeDefinition<S> | WithOptionalId<ParallelNodeConfig<S>>): this {
    if (typeof config !== "object" || config === null)
      throw misuse("parallel", "needs { branches }, or a parallel node");
    if ("type" in config) return this.#append("parallel", config);
    return this.#append("parallel", parallelNode<S>({ ...config, id: config.id ?? this.#nextId("parallel") }));
  }

  /** A question to a user, or a wait node. */
  wait(prompt: string | NodeDefinition<S>): this {
    return this.#append(
      "wait",
      typeof prompt === "string" ? waitNode<S>({ id: this.#nextId("wait"), prompt }) : prompt,
    );
  }

  if(condition: (state: Readonly<S>) => boolean): this {
    checkCondition("if", condition);
    const id = this.#nextId("if");
    this.#append("if", { id, type: "control", control: { kind: "pass" } });
    this.#ifs.push({ id, closedEnds: [], hasElse: false });
    this.#ends = [{ from: id, condition }];
    return this;
  }

  elseIf(condition: (state: Readonly<S>) => boolean): this {
    checkCondition("elseIf", condition);
    this.#nextBranch("elseIf").push({ from: this.#openIf("elseIf").id, condition });
    return this;
  }

  else(): this {
    const ends = this.#nextBranch("else");
    const open = this.#openIf("else");
    open.hasElse = true;
    ends.push({ from: open.id });
    return this;
  }

  endif(): this {
    const open = this.#openIf("endif");
    const ends = [...open.closedEnds, ...this.#ends];
    if (!open.hasElse) ends.push({ from: open.id });
    this.#ifs.pop();
    this.#ends = ends;
    if (ends.length > 0) this.#append("endif", { id: `${open.id}/end`, type: "control", control: { kind: "pass" } });
    return this;
  }

  /** Runs the body, then checks `until`, so the body runs at least once. */
  loop(body: NodeDefinition<S> | readonly NodeDefinition<S>[], config: LoopConfig<S>): this;
  loop(...bodyThenConfig: [NodeDefinition<S>, ...NodeDefinition<S>[], LoopConfig<S>]): this;
  loop(...given: unknown[]): this {
    const config = given[given.length - 1] as LoopConfig<S> | undefined;
    const body = given.slice(0, -1).flat() as NodeDefinition<S>[];
    if (config === undefined || typeof config.until !== "function")
      throw misuse("loop", "needs { until } after its body, a function of the state");
    const { maxIterations } = config;
    if (maxIterations !== undefined && (!Number.isInteger(maxIterations) || maxIterations < 0))
      throw misuse("loop", `maxIterations must be a whole number of at least 0, not ${String(maxIterations)}`);
    const first = body[0];
    if (first === undefined) throw misuse("loop", "its body is empty");
    const id = this.#nextId("loop");
    this.#append("loop", { id, type: "control", control: { kind: "loop-entry", loop: id } });
    for (const node of body) this.#append("loop", node);
    const exit = `${id}/exit`;
    this.#append("loop", {
      id: `${id}/check`,
      type: "control",
      control: { kind: "loop-check", loop: id, until: config.until, maxIterations, body: first.id, exit },
    });
    this.#ends = [];
    this.#add("loop", { id: exit, type: "control", control: { kind: "pass" } });
    this.#ends = [{ from: exit }];
    return this;
  }

  /**
   * Where a failure goes that no node handles itself: a new node, or the id of an existing one. A failure inside a
   * parallel node waits there for the other branches; the handler runs once, with all that they changed, instead of
   * what follows.
   */
  catch(handler: NodeDefinition<S> | NodeId): this {
    if (this.#errorNode !== undefined) throw misuse("catch", `the graph already has a catch, "${this.#errorNode}"`);
    if (typeof handler === "string") {
      this.#errorNode = handler;
      return this;
    }
    this.#add("catch", handler);
    this.#errorNode = handler.id;
    return this;
  }

  /** Nothing follows here. */
  end(): this {
    this.#requireStart("end");
    this.#ends = [];
    return this;
  }

  compile(config: CompileOptions<S> = {}): CompiledGraph<S> {
    if (this.#start === undefined) throw misuse("compile", "the graph has no start; call start(node) first");
    const open = this.#ifs[this.#ifs.length - 1];
    if (open !== undefined)
      throw misuse(
        "compile",
        `${this.#ifs.length === 1 ? "an if is" : `${this.#ifs.length} ifs are`} not closed; call endif()`,
      );
    return compileGraph<S>(
      {
        nodes: [...this.#nodes.values()],
        edges: this.#edges,
        startNode: this.#start,
        annotations: this.#annotations,
        errorNode: this.#errorNode,
        config,
      },
      runToState,
    );
  }

  #append(call: string, node: NodeDefinition<S>): this {
    this.#requireStart(call);
    if (this.#ends.length === 0)
      throw misuse(call, `nothing leads to "${nameOf(node)}": everything before it has ended`);
    this.#add(call, node);
    for (const { from, condition } of this.#ends)
      this.#edges.push(condition === undefined ? { from, to: node.id } : { from, to: node.id, condition });
    this.#ends = [{ from: node.id }];
    return this;
  }

  #add(call: string, node: NodeDefinition<S>): void {
    if (typeof node !== "object" || node === null || typeof node.id !== "string")
      throw misuse(call, "needs a node; make one with toolNode, agentNode or another factory");
    for (const id of idsOf(node)) {
      if (this.#ids.has(id)) throw misuse(call, `there is already a node "${id}"`);
      this.#ids.add(id);
    }
    this.#nodes.set(node.id, node);
  }

  #requireStart(call: string): void {
    if (this.#start === undefined) throw misuse(call, "the graph has no start yet; call start(node) first");
  }

  #openIf(call: string): OpenIf<S> {
    const open = this.#ifs[this.#ifs.length - 1];
    if (open === undefined) throw misuse(call, "there is no if before it");
    return open;
  }

  #nextBranch(call: string): LooseEnd<S>[] {
    const open = this.#openIf(call);
    if (open.hasElse) throw misuse(call, "it comes after else(); only endif() can follow");
    open.closedEnds.push(...this.#ends);
    this.#ends = [];
    return this.#ends;
  }

  #nextId(kind: string): NodeId {
    for (;;) {
      const count = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, count);
      const id = `${kind}-${count}`;
      if (!this.#ids.has(id)) return id;
    }
  }
}

/** Starts a graph: `graph<MyState>()`, or `graph(annotations)` with the state's type inferred. */
export function graph<S extends object = BaseState>(): GraphBuilder<S>;
export function graph<const A extends Record<string, AnyAnnotation>>(annotations: A): GraphBuilder<StateOf<A>>;
export function graph(annotations?: Record<string, AnyAnnotation>): GraphBuilder<BaseState> {
  return new GraphBuilder<BaseState>(annotations);
}

function misuse(call: string, problem: string): AtomicError {
  return new AtomicError("BUILDER_MISUSE", `graph.${call}(): ${problem}.`);
}

/** Its own id, and those of the nodes in its branches. */
function idsOf<S>(node: NodeDefinition<S>): NodeId[] {
  const inBranches = node.parallel?.branches.flatMap(({ nodes }) => (typeof nodes === "string" ? [] : nodes)) ?? [];
  return [node.id, ...inBranches.flatMap(idsOf)];
}

function nameOf(node: unknown): string {
  return typeof node === "object" && node !== null && "id" in node ? String(node.id) : "?";
}

function checkCondition(call: string, condition: unknown): void {
  if (typeof condition !== "function") throw misuse(call, "needs a condition, a function of the state");
}
