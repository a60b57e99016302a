import { expect, test } from "bun:test";
import { createPollPace } from "./poll-pace.ts";

test("looks become rarer when nothing happens, and frequent again with the first news", () => {
  const next = createPollPace({ fastMs: 100, slowMs: 250, quietLooks: 20 });
  const quiet = Array.from({ length: 25 }, () => next(false));

  expect(quiet.slice(0, 19).every((ms) => ms === 100)).toBe(true);
  expect(quiet.slice(19).every((ms) => ms === 250)).toBe(true);
  expect([next(true), next(false)]).toEqual([100, 100]);
});
