// A run whose clock is set back by an hour while it waits for a rate limit: it waits no longer than it was told to, and what it
// does is still shown.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const root = join(import.meta.dir, "../..");
const hourMs = 3_600_000;

/** The program with a clock that goes an hour back after some time. */
function startWithClock(world: CliWorld, backAfterMs: number, words: readonly string[]) {
  const preload = world.write(
    `back-after-${backAfterMs}.ts`,
    `const real = Date.now;
const start = real();
Date.now = () => real() - (real() - start >= ${backAfterMs} ? ${hourMs} : 0);
`,
  );
  const command = [process.execPath, "--preload", preload, join(root, "src/main.ts"), ...words];
  return Bun.spawn(command, { cwd: world.project, env: world.env, stdout: "pipe", stderr: "pipe", stdin: "ignore" });
}

function ralph(world: CliWorld, resetInMs: number): readonly string[] {
  const script = world.script("limited", [
    { times: 1, steps: [{ fail: { kind: "rate_limited", resetInMs, message: "too many" } }] },
    { steps: [{ say: "COMPLETE" }] },
  ]);
  return ["ralph", "--yolo", "work", "--script", script];
}

test("in the same process", async () => {
  const world = createCliWorld();
  const run = startWithClock(world, 1500, ralph(world, 3000));

  expect([await run.exited, await new Response(run.stderr).text()]).toEqual([0, expect.stringContaining("too many")]);
});

test("between a kill and the resume", async () => {
  const world = createCliWorld();
  const run = startWithClock(world, hourMs, ralph(world, 2500));
  await poll(async () => {
    const { stdout } = await world.run(["logs", "@last", "--json"]);
    return stdout.includes('"limit.waiting"') ? true : undefined;
  });
  run.kill("SIGKILL");
  await run.exited;

  const resumed = startWithClock(world, 0, ["resume", world.onlyRun()]);

  expect([await resumed.exited, await new Response(resumed.stderr).text()]).toEqual([
    0,
    expect.stringContaining("too many"),
  ]);
});

test("sessions show has what agents do now, in a run that is resumed after its clock was set back", async () => {
  const world = createCliWorld();
  const go = join(world.root, "go");
  const steps = [{ bash: `until [ -e '${go}' ]; do sleep 0.05; done` }, { say: "COMPLETE" }];
  const words = ["ralph", "--yolo", "work", "--script", world.script("waits", [{ steps }])];
  const shownNow = (): Promise<string> =>
    poll(async () => {
      const { stdout } = await world.run(["sessions", "show", "@last"]);
      return /Now:\n.*\n.*→ bash until/.test(stdout) ? stdout : undefined;
    });
  const run = startWithClock(world, hourMs, words);
  await shownNow();
  run.kill("SIGKILL");
  await run.exited;

  const resumed = startWithClock(world, 0, ["resume", world.onlyRun()]);
  // Before it starts its own turn, the killed one looks as if it were under way.
  await poll(async () => {
    const { stdout } = await world.run(["logs", "@last", "--json"]);
    return stdout.split('"agent.turn-started"').length > 2 ? true : undefined;
  });
  expect(await shownNow()).toContain("Now:");
  writeFileSync(go, "");
  expect(await resumed.exited).toBe(0);
});
