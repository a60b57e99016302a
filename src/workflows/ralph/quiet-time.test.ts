import { expect, test } from "bun:test";
import { createDeferred } from "../../lib/deferred.ts";
import { QuietTime } from "./quiet-time.ts";

/** Lets everything that is ready continue. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function makePart(log: string[], name: string) {
  const gate = createDeferred<void>();
  const body = async (): Promise<void> => {
    log.push(`${name} begins`);
    await gate.promise;
    log.push(`${name} ends`);
  };
  return { body, end: () => gate.resolve() };
}

test("QuietTime lets work run in parallel, and what needs quiet when all of it is over, before any other begins", async () => {
  const quiet = new QuietTime();
  const log: string[] = [];
  const [a, b, check, late] = ["a", "b", "check", "late"].map((name) => makePart(log, name));
  const all = [quiet.work(a!.body), quiet.work(b!.body)];
  await settle();
  expect(quiet.isAnybodyWorking).toBe(true);
  all.push(quiet.inQuiet(check!.body), quiet.work(late!.body));
  a!.end();
  await settle();
  expect(log).toEqual(["a begins", "b begins", "a ends"]);
  b!.end();
  await settle();
  expect(log.slice(3)).toEqual(["b ends", "check begins"]);
  check!.end();
  await settle();
  late!.end();
  await Promise.all(all);

  expect(log.slice(5)).toEqual(["check ends", "late begins", "late ends"]);
  expect(quiet.isAnybodyWorking).toBe(false);
});

test("QuietTime does not count waiting as work, and lets it continue after the quiet", async () => {
  const quiet = new QuietTime();
  const log: string[] = [];
  const answer = createDeferred<void>();
  const check = makePart(log, "check");
  const working = quiet.work(async () => {
    log.push("asks");
    await quiet.rest(() => answer.promise);
    log.push("continues");
  });
  await settle();
  const checking = quiet.inQuiet(check.body);
  await settle();
  expect(log).toEqual(["asks", "check begins"]);
  answer.resolve();
  await settle();
  expect(log).toHaveLength(2);
  check.end();
  await Promise.all([working, checking]);

  expect(log).toEqual(["asks", "check begins", "check ends", "continues"]);
});

test("QuietTime continues after a body that fails", async () => {
  const quiet = new QuietTime();
  const fails = (): Promise<never> => Promise.reject(new Error("no"));

  await expect(quiet.inQuiet(fails)).rejects.toThrow("no");
  await expect(quiet.work(fails)).rejects.toThrow("no");
  expect(await quiet.inQuiet(async () => "quiet")).toBe("quiet");
});
