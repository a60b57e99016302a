import { expect, spyOn, test } from "bun:test";
import { createSteadyClock, systemClock } from "./clock.ts";

test("systemClock does not sleep longer when the system's clock is set back meanwhile", async () => {
  const started = performance.now();
  const sleeping = systemClock.sleep(40);
  const real = Date.now;
  const setBack = spyOn(Date, "now").mockImplementation(() => real() - 3_600_000);
  try {
    await sleeping;
  } finally {
    setBack.mockRestore();
  }

  expect(performance.now() - started).toBeGreaterThanOrEqual(35);
}, 5_000);

test("systemClock wakes up at once when the system's clock was set past the end", async () => {
  const sleeping = systemClock.sleep(1);
  const real = Date.now;
  const setForward = spyOn(Date, "now").mockImplementation(() => real() + 3_600_000);
  try {
    await sleeping;
  } finally {
    setForward.mockRestore();
  }
  expect(await systemClock.sleep(0)).toBeUndefined();
}, 5_000);

test("systemClock rejects with the reason of the signal", async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(60_000, stop.signal);
  stop.abort(new Error("stop"));

  await expect(sleeping).rejects.toThrow("stop");
  await expect(systemClock.sleep(1, stop.signal)).rejects.toThrow("stop");
});

test("a steady clock keeps its pace when the system's clock is set back, and follows it forward", () => {
  const clock = createSteadyClock();
  const before = clock.now();
  const real = Date.now;
  let shiftMs = -3_600_000;
  const shifted = spyOn(Date, "now").mockImplementation(() => real() + shiftMs);
  try {
    const after = clock.now();
    expect(after).toBeGreaterThanOrEqual(before - 1);
    expect(after).toBeLessThan(before + 60_000);
    expect(Number.isInteger(after)).toBe(true);
    shiftMs = 3_600_000;
    expect(clock.now()).toBeGreaterThanOrEqual(before + 3_600_000);
    shiftMs = 0;
    expect(clock.now()).toBeGreaterThanOrEqual(before + 3_599_999);
  } finally {
    shifted.mockRestore();
  }
});
