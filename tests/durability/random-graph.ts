// Turns the description of a random graph into a graph. What its nodes do to the state is in random-state.ts.

import { compileGraph } from "../../src/workflows/graph/compile/compile.ts";
import type { Json } from "../../src/lib/json.ts";
import type { CompiledGraph } from "../../src/workflows/graph/compile/compiled-graph.ts";
import type { Edge } from "../../src/workflows/graph/model/edge.ts";
import type { ExecutionContext, NodeDefinition, NodeResult } from "../../src/workflows/graph/model/node.ts";
import { createNode } from "../../src/workflows/graph/nodes/create-node.ts";
import { mapNode } from "../../src/workflows/graph/nodes/map.ts";
import { parallelNode } from "../../src/workflows/graph/nodes/parallel.ts";
import { subgraphNode } from "../../src/workflows/graph/nodes/subgraph.ts";
import { runToState } from "../../src/workflows/graph/run/run-to-state.ts";
import type { Deed, GraphSpec, NodeSpec } from "./random-spec.ts";
import {
  annotationsIn,
  begin,
  countOf,
  holds,
  lent,
  meddle,
  type RandomState,
  tell,
  type World,
} from "./random-state.ts";

type Context = ExecutionContext<RandomState>;
type Node = NodeDefinition<RandomState>;

export function buildGraph(spec: GraphSpec, world: World, prefix = ""): CompiledGraph<RandomState> {
  return new Build(spec, world, prefix).compile();
}

class Build {
  readonly #spec: GraphSpec;
  readonly #world: World;
  readonly #prefix: string;
  readonly #nodes: Node[] = [];
  readonly #edges: Edge<RandomState>[] = [];
  readonly #reached = new Set<number>();

  constructor(spec: GraphSpec, world: World, prefix: string) {
    this.#spec = spec;
    this.#world = world;
    this.#prefix = prefix;
  }

  compile(): CompiledGraph<RandomState> {
    const { caught } = this.#spec;
    this.#reach(0);
    const afterCatch = caught?.next ?? undefined;
    if (afterCatch !== undefined) this.#reach(afterCatch);
    // In the order of their numbers, whatever led to them first.
    for (const index of [...this.#reached].sort((a, b) => a - b)) this.#add(index);
    const errorNode = caught === null ? undefined : this.#id("catch");
    if (errorNode !== undefined) {
      this.#nodes.push(this.#node(errorNode, { kind: "work", turns: 1, deaf: false }, undefined));
      if (afterCatch !== undefined && this.#exists(afterCatch))
        this.#edges.push({ from: errorNode, to: this.#id(`n${afterCatch}`) });
    }
    return compileGraph<RandomState>(
      {
        nodes: this.#nodes,
        edges: this.#edges,
        startNode: this.#id("n0"),
        annotations: annotationsIn(this.#world),
        errorNode,
        config: { name: this.#prefix === "" ? "random" : this.#prefix },
      },
      runToState,
    );
  }

  #id(name: string): string {
    return `${this.#prefix}${name}`;
  }

  #exists(index: number): boolean {
    return index >= 0 && index < this.#spec.nodes.length;
  }

  #reach(index: number): void {
    const node = this.#spec.nodes[index];
    if (node === undefined || this.#reached.has(index)) return;
    this.#reached.add(index);
    for (const target of this.#targets(index, node)) this.#reach(target);
  }

  #targets(index: number, node: NodeSpec): number[] {
    const offsets = [...node.next, ...node.named, ...jumpsOf(node.deed)];
    if (node.choice !== null) offsets.push(node.choice.to);
    if (node.back !== null) offsets.push(-node.back.to);
    return offsets.map((offset) => index + offset).filter((target) => this.#exists(target));
  }

  #add(index: number): void {
    const node = this.#spec.nodes[index] as NodeSpec;
    const id = this.#id(`n${index}`);
    const goesTo = (offset: number): string | undefined =>
      this.#exists(index + offset) ? this.#id(`n${index + offset}`) : undefined;
    const named = node.named.flatMap((offset) => goesTo(offset) ?? []);
    if (named.length > 0) {
      this.#nodes.push(parallelNode<RandomState>({ id, branches: named }));
      this.#leave(index, node, id, id);
      return;
    }
    const body = node.loops > 1 ? `${id}.body` : id;
    const made = this.#node(body, node.deed, goesTo);
    if (node.loops === 1) {
      this.#nodes.push(made);
      this.#leave(index, node, id, id);
      return;
    }
    const [check, exit] = [`${id}.check`, `${id}.exit`];
    this.#nodes.push(
      { id, type: "control", control: { kind: "loop-entry", loop: id } },
      made,
      {
        id: check,
        type: "control",
        control: {
          kind: "loop-check",
          loop: id,
          until: lent(this.#world, (state) => state.n > 12),
          maxIterations: node.loops,
          body,
          exit,
        },
      },
      { id: exit, type: "control", control: { kind: "pass" } },
    );
    this.#edges.push({ from: id, to: body }, { from: body, to: check });
    this.#leave(index, node, exit, body);
  }

  /** The edges out of a node; `logs` is the id under which it shows in the log. */
  #leave(index: number, node: NodeSpec, from: string, logs: string): void {
    const to = (offset: number): string => this.#id(`n${index + offset}`);
    const { back, choice } = node;
    if (back !== null && node.deed.kind !== "route" && node.named.length === 0 && this.#exists(index - back.to)) {
      this.#edges.push({
        from,
        to: to(-back.to),
        condition: lent(this.#world, (state) => countOf(state, logs) <= back.times),
      });
    }
    if (choice !== null && this.#exists(index + choice.to)) {
      this.#edges.push({
        from,
        to: to(choice.to),
        condition: lent(this.#world, (state) => holds(choice.when, state, logs)),
      });
    }
    for (const offset of node.next) if (this.#exists(index + offset)) this.#edges.push({ from, to: to(offset) });
  }

  #node(id: string, deed: Deed, goesTo: ((offset: number) => string | undefined) | undefined): Node {
    const world = this.#world;
    switch (deed.kind) {
      case "work":
        return createNode<RandomState>({
          id,
          execute: async (ctx) => {
            begin(ctx, world);
            for (let i = 0; i < deed.turns; i++) await world.scheduler.turn(deed.deaf ? undefined : ctx.signal);
            return tell(ctx, world);
          },
        });
      case "steps":
        return createNode<RandomState>({ id, execute: (ctx) => inSteps(ctx, world) });
      case "ask":
        return createNode<RandomState>({
          id,
          execute: async (ctx) => {
            begin(ctx, world);
            const answer = await ctx.ask(`What about ${id}?`);
            return tell(ctx, world, JSON.stringify(answer), [answer]);
          },
        });
      case "beside":
        return createNode<RandomState>({ id, execute: (ctx) => askBesideSteps(ctx, world, deed) });
      case "flaky":
        return createNode<RandomState>({
          id,
          // Three more for kills, which count.
          retry: { maxAttempts: deed.failures + 4, backoffMs: 100 },
          execute: async (ctx) => {
            begin(ctx, world);
            await world.scheduler.turn(ctx.signal);
            const failed = world.failures.get(ctx.key) ?? 0;
            world.failures.set(ctx.key, failed + 1);
            if (failed < deed.failures) {
              meddle(ctx, world);
              throw new Error(`not yet (${failed + 1})`);
            }
            return tell(ctx, world);
          },
        });
      case "skip":
        return createNode<RandomState>({
          id,
          onError: (_error, ctx) => ({ action: "skip", ...tell(ctx, world, "skipped") }),
          execute: (ctx) => failing(ctx, world),
        });
      case "route":
        return this.#routed(id, deed, goesTo);
      case "fail":
        return createNode<RandomState>({ id, execute: (ctx) => failing(ctx, world) });
      case "jump": {
        const target = goesTo?.(deed.to);
        return createNode<RandomState>({
          id,
          ...(target === undefined ? {} : { targets: [target] }),
          execute: async (ctx) => {
            begin(ctx, world);
            await world.scheduler.turn(ctx.signal);
            const goes = target !== undefined && countOf(ctx.state, id) < deed.times;
            const told = tell(ctx, world);
            return goes ? { ...told, goto: target } : told;
          },
        });
      }
      case "map":
        return mapNode<RandomState>({
          id,
          items: lent(world, () => Array.from({ length: deed.items }, (_, i) => [i])),
          concurrency: 2,
          node: this.#node(`${id}.item`, deed.of, undefined),
          collect: lent(world, (state) => [...state.log, JSON.stringify(state.item)]),
          outputMapper: lent(world, (results, state) => ({
            log: [`${id}:${state.n}:${JSON.stringify(results)}`],
            n: 1,
          })),
        });
      case "sub":
        return subgraphNode<RandomState, RandomState>({
          id,
          subgraph: buildGraph(deed.graph, world, `${id}.`),
          inputMapper: lent(world, (state) => ({ n: state.n })),
          outputMapper: lent(world, (sub, state) => ({
            log: [`${id}:${state.n}`, ...sub.log],
            n: 1,
            last: sub.last,
            odd: sub.odd,
            rows: [...sub.rows],
          })),
        });
      case "parallel":
        return this.#parallel(id, deed, goesTo);
    }
  }

  #routed(
    id: string,
    deed: Extract<Deed, { kind: "route" }>,
    goesTo: ((offset: number) => string | undefined) | undefined,
  ): Node {
    const target = goesTo?.(deed.to);
    const execute = (ctx: Context): Promise<never> => failing(ctx, this.#world);
    if (target === undefined) {
      return createNode<RandomState>({
        id,
        execute,
        onError: (_, ctx) => ({ action: "skip", ...tell(ctx, this.#world, "nowhere") }),
      });
    }
    return deed.by === "id"
      ? createNode<RandomState>({ id, execute, onError: target })
      : createNode<RandomState>({
          id,
          execute,
          targets: [target],
          onError: async (_, ctx) => {
            await this.#world.scheduler.turn(ctx.signal);
            return { action: "goto", nodeId: target };
          },
        });
  }

  #parallel(
    id: string,
    deed: Extract<Deed, { kind: "parallel" }>,
    goesTo: ((offset: number) => string | undefined) | undefined,
  ): Node {
    // A branch that leaves a race continues only until another one wins: how far is random.
    const out = deed.strategy === "all" ? goesTo : undefined;
    return parallelNode<RandomState>({
      id,
      strategy: deed.strategy,
      concurrency: deed.concurrency,
      ...(deed.merges
        ? {
            merge: lent(this.#world, (results) => ({
              log: [`${id}:${JSON.stringify([...results].map(([name, u]) => [name, u.log]))}`],
            })),
          }
        : {}),
      branches: Object.fromEntries(
        deed.branches.map((chain, b) => [`b${b}`, chain.map((inner, i) => this.#node(`${id}.${b}.${i}`, inner, out))]),
      ),
    });
  }
}

function jumpsOf(deed: Deed): number[] {
  switch (deed.kind) {
    case "jump":
    case "route":
      return [deed.to];
    case "parallel":
      return deed.strategy === "all" ? deed.branches.flat().flatMap(jumpsOf) : [];
    default:
      return [];
  }
}

async function inSteps(ctx: Context, world: World): Promise<NodeResult<RandomState>> {
  const part = (name: string): Promise<{ parts: string[] }> =>
    ctx.step(name, async () => {
      world.ran.push(`${ctx.key}:${name}`);
      await world.scheduler.turn(ctx.signal);
      return { parts: [name, `${name}!`] };
    });
  const first = await part("one");
  const [second, third] = await Promise.all([part("three"), part("two")]);
  const told = JSON.stringify([first, second, third]);
  return tell(ctx, world, told, [first, second, third]);
}

async function askBesideSteps(
  ctx: Context,
  world: World,
  { steps, asksInside, sleeps }: Extract<Deed, { kind: "beside" }>,
): Promise<NodeResult<RandomState>> {
  begin(ctx, world);
  const { ask, step, sleepUntil, signal, node, key } = ctx;
  const work = (name: string, turns: number): Promise<Json> =>
    step(name, async () => {
      world.ran.push(`${key}:${name}`);
      for (let i = 0; i < turns; i++) await world.scheduler.turn(signal);
      return [name];
    });
  const parts = Array.from({ length: steps }, (_, i) => work(`work${i}`, i + 1));
  const question = `What about ${node}?`;
  if (asksInside) {
    const asked = step("asks", async () => {
      await world.scheduler.turn(signal);
      return ask(question);
    });
    parts.push(asked);
  } else {
    parts.push(ask(question));
  }
  if (sleeps) parts.push(sleepUntil(world.scheduler.clock.now() + 50).then(() => work("rested", 1)));
  // One more that follows another.
  const results = await Promise.all([...parts, (parts[0] as Promise<Json>).then(() => work("last", 2))]);
  return tell(ctx, world, JSON.stringify(results), results);
}

async function failing(ctx: Context, world: World): Promise<never> {
  begin(ctx, world);
  await world.scheduler.turn(ctx.signal);
  meddle(ctx, world);
  throw new Error(`${ctx.node} fails`);
}
