import { expect, test } from "bun:test";
import { createPollPace } from "./poll-pace.ts";

test("polling slows down when nothing happens, and speeds up again with the first news", () => {
  const next = createPollPace({ fastMs: 100, slowMs: 250, quietPolls: 20 });
  const quiet = Array.from({ length: 25 }, () => next(false));

  expect(quiet.slice(0, 19).every((ms) => ms === 100)).toBe(true);
  expect(quiet.slice(19).every((ms) => ms === 250)).toBe(true);
  expect([next(true), next(false)]).toEqual([100, 100]);
});
