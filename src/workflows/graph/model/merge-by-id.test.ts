import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Json } from "../../../lib/json.ts";
import { mergeListsById } from "./merge-by-id.ts";
import { Reducers } from "./state.ts";

type Item = { id: number; a?: number; b?: number };

const items = fc.array(fc.record({ id: fc.nat(40), a: fc.nat(), b: fc.nat() }, { requiredKeys: ["id"] }), {
  maxLength: 30,
});

/** One after the other, with nothing remembered in between. */
function oneByOne(start: readonly Item[], updates: readonly Item[][]): Item[] {
  return updates.reduce<Item[]>((list, update) => Reducers.mergeById(list, update), [...start]);
}

test("mergeListsById gives what merging one update after the other gives", () => {
  fc.assert(
    fc.property(items, fc.array(items, { maxLength: 5 }), (start, updates) => {
      const merged = mergeListsById(start, updates);

      expect(merged).toEqual(oneByOne(start, updates) as Json[]);
    }),
  );
});

test("mergeListsById can merge into the same list twice, whatever else was built from it", () => {
  fc.assert(
    fc.property(items, fc.array(items, { minLength: 2, maxLength: 6 }), (start, updates) => {
      const base = mergeListsById(start, [Array.from({ length: 20 }, (_, id) => ({ id }))]);
      // As branches do that begin with the same list.
      const branches = updates.map((update) => mergeListsById(base, [update]));
      const again = branches.map((branch, i) => mergeListsById(branch, [updates.at(i - 1) as Json]));

      const asItems = base as readonly Item[];
      expect(branches).toEqual(updates.map((update) => oneByOne(asItems, [update])) as Json[][]);
      expect(again).toEqual(
        updates.map((update, i) => oneByOne(asItems, [update, updates.at(i - 1) as Item[]])) as Json[][],
      );
    }),
  );
});

test("mergeListsById freezes the merge of two items, and changes neither", () => {
  const [first, second] = [Object.freeze({ id: 1, a: 1 }), Object.freeze({ id: 1, b: 2 })];

  const [merged] = mergeListsById([first], [[second]]);

  expect(merged).toEqual({ id: 1, a: 1, b: 2 });
  expect(Object.isFrozen(merged)).toBe(true);
  expect([first, second]).toEqual([
    { id: 1, a: 1 },
    { id: 1, b: 2 },
  ] as never);
});
