import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { emptyDelta, StateFold } from "./fold.ts";
import { annotation, Reducers } from "./state.ts";
import { builtInEquivalent } from "./written-out-reducer.ts";

type Lists = (current: number[], update: number[]) => number[];
type Records = (current: Record<string, number>, update: Record<string, number>) => Record<string, number>;

describe("builtInEquivalent", () => {
  test("recognizes an append", () => {
    const appends: Lists[] = [
      (current, update) => [...current, ...update],
      (a, b) => a.concat(b),
      (list, added) => {
        return [...list, ...added];
      },
      (a, b) => {
        return a.concat(b);
      },
    ];

    for (const append of appends) expect(builtInEquivalent(append)).toBe(Reducers.concat);
  });

  test("recognizes a spread over an object", () => {
    const spread: Records = (current, update) => ({ ...current, ...update });

    expect(builtInEquivalent(spread)).toBe(Reducers.merge);
  });

  test("takes nothing else for one of them", () => {
    const others: Lists[] = [
      (current, update) => [...update, ...current],
      (current, update) => [...current, ...update].slice(-3),
      (current, update) => [...current, ...update, 1],
      (current, _update) => [...current, ...current],
      (current) => current.concat(current),
      (current, update) => update.concat(current),
      (current, update) => [...new Set([...current, ...update])],
      (current, update) => {
        current.push(...update);
        return current;
      },
      (...both) => both.flat(),
    ];
    const prototype: Records = (current, update) => ({ ...update, ...current });

    for (const other of [...others, prototype]) expect(builtInEquivalent(other)).toBeUndefined();
    for (const value of [Reducers.concat, undefined, "(a, b) => [...a, ...b]"])
      expect(builtInEquivalent(value)).toBeUndefined();
  });
});

describe("a reducer that is written out", () => {
  const spread = new StateFold({ value: annotation<string[]>([], (current, update) => [...current, ...update]) });
  const concat = new StateFold({ value: annotation<string[]>([], (current, update) => current.concat(update)) });
  const merged = new StateFold({ value: annotation<object>({}, (current, update) => ({ ...current, ...update })) });
  /** The same functions, written so that they are called. */
  const called: readonly (readonly [StateFold, (current: string[], update: string[]) => unknown])[] = [
    [spread, (current, update) => Reducers.concat([...current], [...update])],
    [concat, (current, update) => current.concat(update).slice()],
    [merged, (current, update) => Object.assign({}, current, update)],
  ];

  test("folds every kind of value as its author's function does, in branches and one by one", () => {
    const value = fc.oneof(
      fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }),
      fc.string({ maxLength: 3 }),
      fc.dictionary(fc.constantFrom("x", "y"), fc.nat(9)),
      fc.constant(null),
      fc.nat(3),
    );
    for (const [fold, own] of called) {
      const reference = new StateFold({ value: { default: [], reducer: own } });
      fc.assert(
        fc.property(value, fc.array(value, { maxLength: 5 }), (first, values) => {
          const state = (of: StateFold) => of.initial({ value: first }, "run-1", 0);
          const oneByOne = (of: StateFold) => () =>
            values.reduce((now, change) => of.apply(now, { value: change }, 1), state(of))["value"];
          const joined = (of: StateFold) => () => {
            const deltas = values.map((change) => {
              const delta = emptyDelta();
              of.collect(delta, { value: change }, 1, "node", of.isSimple({ value: change }, state(of)));
              return delta;
            });
            return of.applyAll(state(of), deltas)["value"];
          };

          const expected = outcomeOf(oneByOne(reference));

          expect(outcomeOf(oneByOne(fold))).toEqual(expected);
          expect(outcomeOf(joined(fold))).toEqual(expected);
        }),
      );
    }
  });
});

function outcomeOf(fold: () => unknown): unknown {
  try {
    return fold();
  } catch {
    return "threw";
  }
}
