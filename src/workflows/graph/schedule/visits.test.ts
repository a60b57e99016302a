import { expect, test } from "bun:test";
import { Visits } from "./visits.ts";

test("visits are counted per node, the first node like any other", () => {
  const visits = new Visits();

  const counted = [7, 7, 2, 7, 2, 0, 7].map((node) => visits.enter(node));

  expect(counted).toEqual([1, 2, 1, 3, 2, 1, 4]);
  expect([visits.of(7), visits.of(2), visits.of(0), visits.of(5)]).toEqual([4, 2, 1, 0]);
});

test("visits continue from what was stored", () => {
  const stored = new Visits();
  for (const node of [3, 1, 3]) stored.enter(node);

  const restored = Visits.from(stored.entries());

  expect([restored.enter(3), restored.enter(1), restored.enter(9)]).toEqual([3, 2, 1]);
  expect(new Visits().entries()).toEqual([]);
  expect(Visits.from([]).enter(4)).toBe(1);
});
