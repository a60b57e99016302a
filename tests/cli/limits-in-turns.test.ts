// Limits inside a turn, as a user sees them: what a call reports counts at once, survives a kill, and can be lifted.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs, poll, type CliWorld, type Ended } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const call = { usage: { inputTokens: 100, outputTokens: 100, costUsd: 0.7 } };
/** Each call leaves a line, so that the test sees how far the agent came. */
const spending = (calls: number): object[] =>
  Array.from({ length: calls }, () => [{ bash: "echo call >> calls.txt; sleep 0.05" }, call]).flat();

function newWorld(): CliWorld {
  const world = createCliWorld();
  world.workflow(
    "spend",
    `import { agentNode, graph } from "atomic/workflows";
export const name = "spend";
export const prompt = "optional";
export default () => graph().start(agentNode({ id: "turn", prompt: "spend" }));
`,
  );
  return world;
}

const callsIn = (world: CliWorld): number => world.read("project/calls.txt").trim().split("\n").length;
const lastOf = (run: Ended) => run.events().at(-1);
const totalsOf = (world: CliWorld, id: string): { costUsd: number; inputTokens: number } =>
  (
    JSON.parse(world.read(`home/.atomic/workflows/sessions/${id}/session.json`)) as {
      totals: ReturnType<typeof totalsOf>;
    }
  ).totals;

test.each([
  ["--max-cost", "1", "max-cost"],
  ["--max-tokens", "350", "max-tokens"],
])("%s ends a turn at the call that reaches it, and `none` lets the run end", async (flag, value, limit) => {
  const world = newWorld();
  const script = world.script("s", [
    { times: 1, steps: [...spending(11), { say: "spent" }] },
    { steps: [{ say: "the rest" }] },
  ]);
  const run = await world.run(["run", "spend", "--script", script, "--json", flag, value]);

  expect(run.exitCode).toBe(5);
  expect(lastOf(run)).toMatchObject({ type: "run.paused", reason: "budget", limit });
  expect(callsIn(world)).toBeLessThanOrEqual(3);
  const id = String(lastOf(run)?.runId);
  expect(totalsOf(world, id).costUsd).toBeCloseTo(1.4);
  const again = await world.run(["resume", id, "--json"]);
  expect(again.exitCode).toBe(5);
  const free = await world.run(["resume", id, "--json", flag, "none"]);
  expect(free.exitCode).toBe(0);
  // It stays lifted.
  expect(free.events().find(({ type }) => type === "run.started")?.["limits"]).not.toHaveProperty(
    limit === "max-cost" ? "maxCostUsd" : "maxTokens",
  );
});

test("turns that a node takes without passing its context count, stop with the run, and are on record", async () => {
  const world = newWorld();
  world.workflow(
    "bare",
    `import { createNode, graph } from "atomic/workflows";
export const name = "bare";
export const prompt = "optional";
export default () => graph().start(createNode({
  id: "three",
  execute: async ({ runtime }) => {
    for (const task of ["a", "b", "c"]) await runtime.agents.spawn({ task });
  },
}));
`,
  );
  const script = world.script("s", [{ steps: [call, { say: "ok" }] }]);
  const run = await world.run(["run", "bare", "--script", script, "--json", "--max-cost", "1"]);

  expect(run.exitCode).toBe(5);
  expect(lastOf(run)).toMatchObject({ type: "run.paused", reason: "budget", limit: "max-cost" });
  expect(totalsOf(world, String(lastOf(run)?.runId)).costUsd).toBeCloseTo(1.4);

  const hanging = world.script("hanging", [{ steps: [{ hang: true }] }]);
  const live = world.start(["run", "bare", "--script", hanging, "--json"]);
  await live.seen('"agent.turn-started"');
  live.signal("SIGINT");
  expect((await live.ended).exitCode).toBe(130);
});

test("--max-cost overshoots by one call of each worker at most", async () => {
  const world = newWorld();
  const tasks = ["1", "2", "3"].map((id) => ({ id, title: `Task ${id}` }));
  const script = world.script("s", [
    { agent: "planner", steps: [{ say: JSON.stringify({ tasks }) }, { usage: { ...call.usage, costUsd: 0.01 } }] },
    // What is known of workers lets three start at once.
    { agent: "worker", task: "1", times: 1, steps: [{ say: "done" }, { usage: { ...call.usage, costUsd: 0.01 } }] },
    { agent: "worker", steps: [...spending(11), { say: "spent" }] },
  ]);
  const run = await world.run(["ralph", "Do it", "--script", script, "--json", "--max-cost", "2"]);

  expect(run.exitCode).toBe(5);
  expect(totalsOf(world, String(lastOf(run)?.runId)).costUsd).toBeLessThan(2 + 3 * 0.7);
});

test("what a turn used before kill -9 is on record, and counts after it", async () => {
  const world = newWorld();
  const script = world.script("s", [{ steps: [...spending(3), { hang: true }] }]);
  const live = world.start(["run", "spend", "--script", script, "--json"]);
  await live.seen('"agent.usage-reported"');
  await poll(() => (live.stdout().includes('"inputTokens":300') ? true : undefined));
  live.signal("SIGKILL");
  await live.ended;
  const resumed = await world.run(["resume", world.onlyRun(), "--json", "--max-cost", "2"]);

  expect(resumed.exitCode).toBe(5);
  expect(lastOf(resumed)).toMatchObject({ type: "run.paused", limit: "max-cost" });
  expect(callsIn(world)).toBe(3);
  expect(totalsOf(world, world.onlyRun()).costUsd).toBeCloseTo(2.1);
});

test("a turn of unknown cost is kept, a capped run stops before the next one, and no resume pays for it again", async () => {
  const world = newWorld();
  const tasks = [{ id: "1", title: "Build it" }];
  const script = world.script("s", [
    { agent: "planner", steps: [{ bash: "echo plan >> plans.txt" }, { say: JSON.stringify({ tasks }) }] },
    { agent: "worker", steps: [{ say: "done" }] },
  ]);
  const run = await world.run([
    "ralph",
    "Do it",
    "--script",
    script,
    "--json",
    "--max-cost",
    "1",
    "--max-reviews",
    "0",
  ]);
  expect(run.exitCode).toBe(5);
  expect(lastOf(run)).toMatchObject({ limit: "usage-unknown" });
  expect(run.stderr).toContain("--max-cost none");
  const id = String(lastOf(run)?.runId);
  expect((await world.run(["resume", id])).exitCode).toBe(5);
  const free = await world.run(["resume", id, "--max-cost", "none"]);
  expect(free.exitCode).toBe(0);
  expect(world.read("project/plans.txt")).toBe("plan\n");
});

test("a limit that is neither a number nor `none` is refused", async () => {
  const run = await newWorld().run(["run", "spend", "--max-cost", "nothing"]);
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain("a number, or none");
});
