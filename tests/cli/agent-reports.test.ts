// What a run says about its agents: another model, silence, a service that can't be reached, odd costs.

import { expect, setDefaultTimeout, test } from "bun:test";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

/** A workflow of as many turns as there are names. */
function makeWorld(...turns: readonly string[]): CliWorld {
  const world = createCliWorld();
  world.workflow(
    "talk",
    `import { createNode, graph } from "atomic/workflows";
export const name = "talk";
export const description = "Takes turns";
export const prompt = "none";
const turn = (id) => createNode({ id, execute: async (ctx) => {
  const result = await ctx.runtime.agents.spawn({ task: id, context: ctx }, ctx.signal);
  if (!result.success) throw new Error(result.error);
  return { stateUpdate: { outputs: { [id]: result.output } } };
} });
export default () => graph()${turns.map((id, i) => `.${i === 0 ? "start" : "then"}(turn(${JSON.stringify(id)}))`).join("")};
`,
  );
  return world;
}

test("another model than the one that was asked for is named, once", async () => {
  const world = makeWorld("one", "two");
  const script = world.script("s", [{ steps: [{ model: "small-1" }, { say: "ok" }] }]);
  const run = await world.run(["run", "talk", "--script", script, "-m", "large-2"]);

  expect(run.exitCode).toBe(0);
  const said = run.stderr.split("\n").filter((line) => line.includes("small-1"));
  expect(said).toEqual(["! scripted: the model small-1 answered instead of large-2"]);
  const stored = (await world.run(["sessions", "logs", world.onlyRun(), "--json"])).events();
  expect(stored.filter(({ type }) => type === "agent.model-substituted")).toMatchObject([
    { agent: "scripted", asked: "large-2", served: "small-1" },
  ]);
  expect((await world.run(["run", "talk", "--script", script, "-m", "small-1"])).stderr).not.toContain(
    "answered instead",
  );
});

test("an agent that falls silent is ended after the setting that the message names", async () => {
  const world = makeWorld("one");
  const script = world.script("s", [{ steps: [{ hang: true }] }]);
  const run = await world.run(["run", "talk", "--script", script], { env: { ATOMIC_MAX_SILENCE: "0.01" } });
  const setting = /atomic config set (\S+) N/.exec(run.stderr)?.[1] ?? "";

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("gave no sign of life for 600 ms");
  expect((await world.run(["config", "set", setting, "0.02"])).exitCode).toBe(0);
  const slower = await world.run(["run", "talk", "--script", script]);
  expect(slower.stderr).toContain("gave no sign of life for 1 s");
});

test("a connection that was cut is not called a limit", async () => {
  const world = makeWorld("one");
  const cut = { fail: { kind: "overloaded", resetInMs: 200, message: "read ECONNRESET" } };
  const limited = { fail: { kind: "rate_limited", resetInMs: 200, message: "429" } };
  const script = world.script("s", [
    { times: 1, steps: [cut] },
    { times: 1, steps: [limited] },
    { steps: [{ say: "ok" }] },
  ]);
  const run = await world.run(["run", "talk", "--script", script]);

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toMatch(/… the model's service is unavailable; retrying at \S+ \(.*ECONNRESET.*\)/);
  expect(run.stderr).toMatch(/… waits for a rate limit until \S+ \(.*429.*\)/);
  const never = world.script("s", [{ steps: [cut] }]);
  const paused = await world.run(["run", "talk", "--script", never, "--max-wait", "0"]);
  expect(paused.exitCode).toBe(5);
  expect(paused.stderr).not.toContain("the limit ends");
  expect(paused.stderr).toContain("--max-wait MINUTES");
});

test("a cost below zero is not a cost: nothing is subtracted, and nothing negative is shown", async () => {
  const world = createCliWorld();
  const plan = JSON.stringify({ tasks: [{ id: "1", title: "One" }] });
  const script = world.script("s", [
    { agent: "planner", steps: [{ say: plan }, { usage: { inputTokens: 10, outputTokens: 1, costUsd: 0.01 } }] },
    { agent: "worker", steps: [{ say: "done" }, { usage: { inputTokens: 10, outputTokens: 1, costUsd: 0.002 } }] },
  ]);
  const words = ["ralph", "Do it", "--max-reviews", "0"];
  expect((await world.run([...words, "--script", script, "--record", "r.jsonl"])).exitCode).toBe(0);
  // As some programs state it after a session was continued.
  world.write("project/r.jsonl", world.read("project/r.jsonl").replaceAll('"costUsd":0.002', '"costUsd":-0.002'));
  expect(world.read("project/r.jsonl")).toContain("-0.002");
  const run = await world.run([...words, "-a", "replay", "--script", "r.jsonl"]);

  expect(run.exitCode).toBe(0);
  expect(run.stdout + run.stderr).not.toMatch(/\$-|-\$/);
  expect(run.stderr).toContain("$0.0100 and 1 turn of unknown cost");
});
