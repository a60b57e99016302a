import { expect, test } from "bun:test";
import { RunRecording } from "./recording.ts";

const fold = (view: readonly number[], item: number): readonly number[] => [...view.slice(-9), item];

test("a view at any place is the fold of everything before it, in whatever order one looks", () => {
  const items = Array.from({ length: 1500 }, (_, i) => (i * 7919) % 1000);
  const recording = new RunRecording<number, readonly number[]>([], fold);
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (const [i, item] of items.entries()) {
    recording.push(item);
    // One also looks while more comes.
    const count = random(i + 2);
    expect(recording.at(count)).toEqual(items.slice(0, count).reduce(fold, []));
  }
  expect(recording.view).toEqual(items.reduce(fold, []));
  expect(recording.at(99_999)).toBe(recording.view);
  expect(recording.at(-1)).toEqual([]);
});

test("the first item after a moment is found among items in order", () => {
  const recording = new RunRecording<number, number>(0, (count) => count + 1);
  for (const at of [1, 3, 3, 7]) recording.push(at);

  expect([0, 1, 3, 5, 7, 9].map((moment) => recording.countBefore((at) => at > moment))).toEqual([0, 1, 3, 3, 4, 4]);
});
