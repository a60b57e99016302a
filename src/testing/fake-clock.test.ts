import { expect, test } from "bun:test";
import { createFakeClock } from "./fake-clock.ts";

test("createFakeClock wakes sleepers in the order of their time, each at its own time", async () => {
  const clock = createFakeClock(100);
  const woken: [string, number][] = [];
  void clock.sleep(30).then(() => woken.push(["late", clock.now()]));
  void clock.sleep(10).then(() => woken.push(["early", clock.now()]));

  await clock.advance(29);
  expect(woken).toEqual([["early", 110]]);

  await clock.advance(1);
  expect(woken).toEqual([
    ["early", 110],
    ["late", 130],
  ]);
  expect(clock.sleepers).toBe(0);
});

test("createFakeClock runs what a sleeper starts within the same advance", async () => {
  const clock = createFakeClock();
  const chain = clock.sleep(10).then(() => clock.sleep(10));

  await clock.advance(20);

  await chain;
  expect(clock.now()).toBe(20);
});

test("createFakeClock rejects a sleep whose signal aborts, with the signal's reason", async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const sleep = clock.sleep(10, stop.signal);

  stop.abort("enough");

  await expect(sleep).rejects.toBe("enough");
  expect(clock.sleepers).toBe(0);
});
