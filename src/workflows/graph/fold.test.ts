import { describe, expect, test } from "bun:test";
import { emptyDelta, StateFold } from "./fold.ts";
import { annotation, Reducers } from "./state.ts";

const fold = new StateFold({
  items: annotation<number[]>([], Reducers.concat),
  total: annotation<number>(0, Reducers.sum),
});
const start = fold.initial({}, "run-1", 0);

describe("StateFold", () => {
  test("appends the lists of more branches than one call can have arguments", () => {
    const deltas = Array.from({ length: 200_000 }, (_, branch) => {
      const delta = emptyDelta();
      fold.collect(delta, { items: [branch] }, 1);
      return delta;
    });

    const { items } = fold.applyAll(start, deltas) as { items: number[] };

    expect(items).toHaveLength(200_000);
    expect([items[0], items[199_999]]).toEqual([0, 199_999]);
  });

  test("gives branches joined at once the state of updates folded one by one", () => {
    const updates = [{ items: [1, 2] }, { items: [] }, { items: [3], total: 4 }, { items: [4] }];
    const deltas = updates.map((update) => {
      const delta = emptyDelta();
      fold.collect(delta, update, 5);
      return delta;
    });

    const oneByOne = updates.reduce((state, update) => fold.apply(state, update, 5), start);

    expect(fold.applyAll(start, deltas)).toEqual(oneByOne);
  });

  test("stores a reducer's minus zero as it will be read back, and refuses what is no number", () => {
    const reduced = (result: number): unknown =>
      new StateFold({ value: annotation<number>(1, () => result) }).apply(start, { value: 1 }, 0)["value"];

    expect(Object.is(reduced(-0), 0)).toBe(true);
    expect(reduced(-1.5)).toBe(-1.5);
    expect(() => reduced(Number.NaN)).toThrow('the reducer of state key "value"');
    expect(() => reduced(Number.POSITIVE_INFINITY)).toThrow('the reducer of state key "value"');
  });
});
