// `atomic test`: an author's workflow on a script, whole and crashed everywhere.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const workflow = (name: string, body: string) =>
  world.write(
    `${name}.ts`,
    `import { createNode, graph } from "atomic/workflows";
export const name = "${name}";
export const description = "A workflow under test";
export const prompt = "optional";
export const options = { count: { type: "number", default: 2, description: "how many turns" } };
export const createState = ({ options, cwd }) => ({ executionId: "", outputs: {}, count: options.count, cwd });
const turn = (id) => createNode({ id, execute: async (ctx) => {
  const result = await ctx.runtime.agents.spawn({ task: id, context: ctx }, ctx.signal);
  if (!result.success) throw new Error(result.error);
  return { stateUpdate: { outputs: { [id]: result.output } } };
} });
${body}
`,
  );
const script = world.script("script", [{ steps: [{ bash: "echo x >> log.txt" }, { say: "done" }] }]);

test("a sound workflow survives a crash after every record, and leaves the project alone", async () => {
  const file = workflow(
    "sound",
    `export default () => graph().start(turn("one")).parallel({ branches: [turn("a"), turn("b")], strategy: "all" }).then(turn("last"));`,
  );
  const run = await world.run(["test", file, "--script", script, "--json"]);
  const outcome = JSON.parse(run.stdout) as { records: number; trials: { after: number }[] };

  expect(run.exitCode).toBe(0);
  expect(outcome).toMatchObject({ workflow: "sound", status: "completed", isPassed: true });
  expect(outcome.records).toBeGreaterThan(5);
  expect(outcome.trials.map(({ after }) => after)).toEqual(
    Array.from({ length: outcome.records - 1 }, (_, i) => i + 1),
  );
  expect(readdirSync(world.project)).toEqual([]);
  expect((await world.run(["sessions", "--json"])).stdout).toBe("[]\n");
  const text = await world.run(["test", file, "--script", script, "--count", "3"]);
  expect(text.stdout).toMatch(/^✓ sound: completed, \d+ records; (\d+) of \1 crashes left no trace\n$/);
});

test("a workflow that keeps something outside its state is caught, with the place of the difference", async () => {
  // What a process remembers is gone after a crash; here it is as if the file had been appended to twice.
  const file = workflow(
    "leaky",
    `import { appendFileSync, readFileSync } from "node:fs";
const count = createNode({ id: "count", execute: async (ctx) => {
  appendFileSync(ctx.state.cwd + "/count.txt", "x");
  await ctx.step("pause", () => null);
  return { stateUpdate: { outputs: { count: readFileSync(ctx.state.cwd + "/count.txt", "utf8").length } } };
} });
export default () => graph().start(count);`,
  );
  const run = await world.run(["test", file, "--script", script]);

  expect(run.exitCode).toBe(1);
  expect(run.stdout).toMatch(/✗ crash after record \d+ of \d+: state\.outputs\.count is 2, and 1 without the crash/);
  expect(run.stderr).toContain("crashes changed what came out");
});

test("a workflow that does not complete on the script is said to fail, and why", async () => {
  const file = workflow("sound2", `export default () => graph().start(turn("one"));`);
  const failing = world.script("failing", [{ match: "two", steps: [{ say: "x" }] }]);
  const run = await world.run(["test", file, "--script", failing]);
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("does not complete on this script");
  const asking = world.script("asking", [{ steps: [{ ask: { question: "Sure?" }, as: "it" }, { say: "${it}" }] }]);
  expect((await world.run(["test", file, "--script", asking])).stderr).toContain("--answer");
  expect((await world.run(["test", file, "--script", asking, "--answer", "Sure?=yes"])).exitCode).toBe(0);
});

test("--cwd is copied for each run", async () => {
  world.write("fixture/seed.txt", "seed");
  const file = workflow("seeded", `export default () => graph().start(turn("one"));`);
  const reads = world.script("reads", [{ steps: [{ bash: "cat seed.txt", expect: 0 }, { say: "ok" }] }]);

  expect((await world.run(["test", file, "--script", reads, "--cwd", `${world.root}/fixture`])).exitCode).toBe(0);
  expect(world.read("fixture/seed.txt")).toBe("seed");
});

test("wrong usage is said", async () => {
  const file = workflow("used", `export default () => graph().start(turn("one"));`);
  for (const [words, text] of [
    [["test"], "FILE"],
    [["test", "nowhere.ts", "--script", script], "There is no file"],
    [["test", file], "--script SCRIPT"],
    [["test", "--script", script, file], "Name the file first"],
  ] as const) {
    const run = await world.run(words);
    expect([words, run.exitCode]).toEqual([words, 2]);
    expect(run.stderr).toContain(text);
  }
  const help = await world.run(["test", file, "--help"]);
  expect(help.stdout).toContain("--count");
});
