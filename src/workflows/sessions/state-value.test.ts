import { expect, test } from "bun:test";
import type { Json } from "../../lib/json.ts";
import { noBranches } from "./branch-order.ts";
import { combinedValue, firstValue, type ShownState, updatedValue } from "./state-value.ts";

function written(reducer: string | undefined, first: Json | undefined, updates: readonly Json[]): ShownState {
  let state = first === undefined ? undefined : firstValue(first, 1);
  for (const [i, value] of updates.entries())
    state = updatedValue(state, { value, key: `work#${i + 1}`, seq: i + 2, reducer });
  if (state === undefined) throw new Error("nothing was written");
  return state;
}

const cases: readonly (readonly [string | undefined, Json | undefined, readonly Json[], Json])[] = [
  [undefined, [1], [[2], [3]], [3]],
  ["concat", [1], [[2], [3, 4]], [1, 2, 3, 4]],
  ["concat", undefined, [["a"]], ["a"]],
  ["concat", [[1]], [[[2]]], [[1], [2]]],
  ["merge", { a: 1, b: 1 }, [{ b: 2 }, { c: 3 }], { a: 1, b: 2, c: 3 }],
  ["mergeById", [{ id: "x", n: 1 }], [[{ id: "x", n: 2 }], [{ id: "y" }]], [{ id: "x", n: 2 }, { id: "y" }]],
  ["sum", 1, [2, 3], 6],
  ["max", 4, [2, 9], 9],
  ["min", undefined, [2, 9], 2],
  ["or", false, [true, false], true],
  ["and", true, [true, false], false],
  ["ifDefined", "kept", [null], "kept"],
];

test.each(cases)("%p: %j with the updates %j", (reducer, first, updates, value) => {
  expect(combinedValue(written(reducer, first, updates), noBranches)).toMatchObject({ value });
});

test("what the workflow's own code combines is the last update, and says so", () => {
  for (const reducer of ["own", "of-a-later-version"])
    expect(combinedValue(written(reducer, [1], [[2], [3]]), noBranches)).toMatchObject({
      value: [3],
      problem: "unknown",
    });
});

test("the workflow's own reducer combines as in the run, and may change what it is given", () => {
  const keep = (current: Json | undefined, update: Json): Json[] => {
    const list = current as Json[];
    list.push(...(update as Json[]));
    return list.slice(-2);
  };
  const state = written("own", [1], [[2], [3], [4]]);

  expect(combinedValue(state, noBranches, keep)).toMatchObject({ value: [3, 4] });
  expect(combinedValue(state, noBranches, keep).problem).toBeUndefined();
  expect(combinedValue(state, noBranches).value).toEqual([4]);
});

test("an own reducer that throws leaves the last update", () => {
  const fail = (): never => {
    throw new Error("no");
  };
  expect(combinedValue(written("own", [1], [[2]]), noBranches, fail)).toMatchObject({ value: [2], problem: "threw" });
});

test("a hundred thousand updates of one list are combined in one pass", () => {
  const state = written(
    "concat",
    [],
    Array.from({ length: 100_000 }, (_, i) => [i]),
  );

  expect(combinedValue(state, noBranches).value).toHaveLength(100_000);
  expect(combinedValue(state, noBranches)).toBe(combinedValue(state, noBranches));
});
