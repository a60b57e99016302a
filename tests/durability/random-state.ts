// The state of random graphs and what their nodes do to it. Every update reports what its node saw, so that a branch that
// sees too much, a merge in another order or an update folded twice shows in the final state.

import type { ExecutionContext, NodeResult } from "../../src/workflows/graph/model/node.ts";
import { annotation, Reducers } from "../../src/workflows/graph/model/state.ts";
import { shortHash } from "../../src/lib/hash.ts";
import type { Condition } from "./random-spec.ts";
import type { Scheduler } from "./scheduler.ts";
import { turns } from "../support/graph-kit.ts";
import { overwrite, vandalize } from "./vandal.ts";

export interface RandomState {
  readonly executionId: string;
  readonly outputs: Record<string, unknown>;
  /** Appended: what each node saw. */
  readonly log: readonly string[];
  /** Replaced. */
  readonly last: string;
  /** Summed. */
  readonly n: number;
  /** Merged. */
  readonly seen: Readonly<Record<string, number>>;
  /** Folded by a reducer that is neither commutative nor associative. */
  readonly odd: string;
  /** Appended by a reducer of the author's own. */
  readonly rows: readonly Row[];
  /** Replaced: short lists and a long one, inside an object. */
  readonly table: { readonly short: readonly (readonly string[])[]; readonly long: readonly number[] };
}

interface Row {
  readonly from: string;
  readonly cells: readonly string[];
}

/** What bodies act on. It outlives crashes, as the world does. */
export interface World {
  scheduler: Scheduler;
  /** Keys of visits and parts whose bodies ran, in order. */
  ran: string[];
  readonly failures: Map<string, number>;
  /** Everything that an author's function is lent or has returned is changed in place. */
  readonly isCareless?: boolean | undefined;
}

export function annotationsIn(world: World) {
  return {
    log: annotation<readonly string[]>([], Reducers.concat),
    last: annotation(""),
    n: annotation(0, Reducers.sum),
    seen: annotation<Readonly<Record<string, number>>>({}, Reducers.merge),
    odd: annotation("", (current: string, update: string) => `(${current}${update})`),
    rows: annotation<readonly Row[]>(
      [],
      lent(world, (current, update) => [...current, ...update]),
    ),
    table: annotation<RandomState["table"]>({ short: [], long: [] }),
  };
}

type Context = ExecutionContext<RandomState>;

/** The function, which in a careless world changes what it was given. */
export function lent<A extends readonly unknown[], R>(world: World, body: (...given: A) => R): (...given: A) => R {
  if (world.isCareless !== true) return body;
  return (...given) => {
    const returned = body(...given);
    vandalize(given);
    return returned;
  };
}

const returnedBefore = new WeakMap<World, unknown[]>();

/** For bodies to come, once it has reached the engine. */
function keep(world: World, returned: unknown): void {
  const before = returnedBefore.get(world) ?? [];
  returnedBefore.set(world, before);
  void turns().then(() => before.push(returned));
}

/** What a careless body does once it has seen all that it wants to see. */
export function meddle(ctx: Context, world: World, more: readonly unknown[] = []): void {
  if (world.isCareless !== true) return;
  vandalize([ctx.state, ctx.failure, ctx.attempt.previousNotes, more, returnedBefore.get(world)]);
  overwrite(ctx.attempt);
  overwrite(ctx.runtime);
  overwrite(ctx);
}

export function begin(ctx: Context, world: World): void {
  world.ran.push(ctx.key);
}

export function tell(ctx: Context, world: World, more = "", lentToo: readonly unknown[] = []): NodeResult<RandomState> {
  const { node, state, visit } = ctx;
  const because = ctx.failure === undefined ? "" : `!${ctx.failure.node}`;
  const saw = shortHash(JSON.stringify([state.log, state.rows, state.table, state.seen, state.outputs]));
  const stateUpdate = {
    log: [`${node}:${state.n}:${saw}${because}${more === "" ? "" : `:${more}`}`],
    last: node,
    n: 1,
    seen: { [node]: visit },
    odd: node,
    rows: [{ from: node, cells: ["a", "b"] }],
    table: { short: [[node], []], long: Array.from({ length: 40 }, (_, i) => i + visit) },
    outputs: { [node]: [state.n, [node]] },
  };
  meddle(ctx, world, lentToo);
  keep(world, stateUpdate);
  return { stateUpdate };
}

export function countOf(state: Readonly<RandomState>, id: string): number {
  return state.log.filter((line) => line.startsWith(`${id}:`)).length;
}

export function holds(when: Condition, state: Readonly<RandomState>, id: string): boolean {
  switch (when) {
    case "odd":
      return state.n % 2 === 1;
    case "never":
      return false;
    case "first":
      return countOf(state, id) === 1;
    case "second":
      return countOf(state, id) === 2;
  }
}
