// Random graphs as data: what fast-check makes, prints and shrinks. Turned into real graphs by random-graph.ts.

import * as fc from "fast-check";

/** What a node of a random graph does. Numbers are distances to other nodes of the same graph. */
export type Deed =
  /** Done at once, after one turn of the scheduler, or after two; `deaf` ones don't listen to their signal. */
  | { readonly kind: "work"; readonly turns: number; readonly deaf: boolean }
  /** Two recorded parts. */
  | { readonly kind: "steps" }
  | { readonly kind: "ask" }
  /** Asks while its own steps are running; one of them may ask itself, and one may sleep. */
  | { readonly kind: "beside"; readonly steps: number; readonly asksInside: boolean; readonly sleeps: boolean }
  /** Fails this often, then succeeds. */
  | { readonly kind: "flaky"; readonly failures: number }
  /** Fails, and its handler skips it. */
  | { readonly kind: "skip" }
  /** Fails, and continues elsewhere: by id, or by a handler. */
  | { readonly kind: "route"; readonly by: "id" | "handler"; readonly to: number }
  /** Fails without its own handler. */
  | { readonly kind: "fail" }
  /** Goes elsewhere, forwards or back, while it has been here fewer times than this. */
  | { readonly kind: "jump"; readonly to: number; readonly times: number }
  | { readonly kind: "map"; readonly items: number; readonly of: Deed }
  | { readonly kind: "sub"; readonly graph: GraphSpec }
  | {
      readonly kind: "parallel";
      readonly strategy: "all" | "race" | "any";
      readonly concurrency: number;
      readonly merges: boolean;
      readonly branches: readonly (readonly Deed[])[];
    };

export type Condition = "odd" | "never" | "first" | "second";

export interface NodeSpec {
  readonly deed: Deed;
  /** Runs this often, with the builder's loop. */
  readonly loops: number;
  /** Distances of the nodes that follow; several are a fork. */
  readonly next: readonly number[];
  readonly choice: { readonly to: number; readonly when: Condition } | null;
  /** A way back, taken while the node was passed fewer times than this. */
  readonly back: { readonly to: number; readonly times: number } | null;
  /** Nodes that are branches of this one, as a parallel node that names them. */
  readonly named: readonly number[];
}

export interface GraphSpec {
  readonly nodes: readonly NodeSpec[];
  /** Unhandled failures go to a separate node, which continues to this one, or ends. */
  readonly caught: { readonly next: number | null } | null;
}

export interface SpecOptions {
  /** Races end in whatever order the scheduler chooses; without them a run has one outcome. */
  readonly races: boolean;
  /** Failures that nothing handles. */
  readonly failures: boolean;
  readonly questions: boolean;
}

export function graphSpec(options: SpecOptions, depth = 2): fc.Arbitrary<GraphSpec> {
  return fc.record({
    nodes: fc.array(nodeSpec(options, depth), { minLength: 1, maxLength: depth === 2 ? 8 : 4, size: "max" }),
    caught: options.failures
      ? fc.option(fc.record({ next: fc.option(fc.integer({ min: 0, max: 7 })) }), { freq: 1 })
      : fc.constant(null),
  });
}

function nodeSpec(options: SpecOptions, depth: number): fc.Arbitrary<NodeSpec> {
  const forward = fc.integer({ min: 1, max: 4 });
  return fc.record({
    deed: deed(options, depth),
    loops: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 3 }) }),
    next: fc.oneof(
      { weight: 5, arbitrary: fc.constant([1]) },
      { weight: 4, arbitrary: fc.uniqueArray(forward, { maxLength: 3, size: "max" }) },
    ),
    choice: fc.option(
      fc.record({ to: forward, when: fc.constantFrom<Condition[]>("odd", "never", "first", "second") }),
      { freq: 3 },
    ),
    back: fc.option(fc.record({ to: fc.integer({ min: 0, max: 3 }), times: fc.integer({ min: 1, max: 2 }) }), {
      freq: 6,
    }),
    named: fc.oneof(
      { weight: 8, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.uniqueArray(forward, { minLength: 2, maxLength: 3 }) },
    ),
  });
}

function deed(options: SpecOptions, depth: number): fc.Arbitrary<Deed> {
  const choices: fc.WeightedArbitrary<Deed>[] = [
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("work" as const),
        turns: fc.integer({ min: 0, max: 2 }),
        deaf: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: "steps" as const }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("flaky" as const), failures: fc.integer({ min: 1, max: 2 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "skip" as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("route" as const),
        by: fc.constantFrom("id" as const, "handler" as const),
        to: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("jump" as const),
        to: fc.integer({ min: -3, max: 4 }),
        times: fc.integer({ min: 1, max: 2 }),
      }),
    },
  ];
  if (options.questions) {
    choices.push({ weight: 1, arbitrary: fc.constant({ kind: "ask" as const }) });
    const steps = fc.integer({ min: 1, max: 3 });
    const beside = fc.constant("beside" as const);
    const arbitrary = fc.record({ kind: beside, steps, asksInside: fc.boolean(), sleeps: fc.boolean() });
    choices.push({ weight: 1, arbitrary });
  }
  if (options.failures) choices.push({ weight: 1, arbitrary: fc.constant({ kind: "fail" as const }) });
  if (depth > 0) {
    choices.push(
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("sub" as const), graph: graphSpec(options, depth - 1) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("parallel" as const),
          strategy: options.races
            ? fc.constantFrom("all" as const, "race" as const, "any" as const)
            : fc.constant("all" as const),
          concurrency: fc.integer({ min: 1, max: 3 }),
          merges: fc.boolean(),
          branches: fc.array(fc.array(deed(options, depth - 1), { minLength: 1, maxLength: 2 }), {
            minLength: 1,
            maxLength: 3,
          }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("map" as const),
          items: fc.integer({ min: 0, max: 3 }),
          of: deed(options, 0).filter(({ kind }) => kind !== "jump" && kind !== "route"),
        }),
      },
    );
  }
  return fc.oneof(...choices);
}
