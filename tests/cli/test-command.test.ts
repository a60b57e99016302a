// `atomic test`: an author's workflow on a script, whole and crashed everywhere.

import { expect, setDefaultTimeout, test } from "bun:test";
import { linkSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const source = (name: string, body: string) =>
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
`;
const workflow = (name: string, body: string) => world.write(`${name}.ts`, source(name, body));
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

test("a workflow is crashed between steps that end at the same time as well", async () => {
  const file = workflow(
    "at-once",
    `const work = createNode({ id: "work", execute: async ({ step }) => {
  await Promise.all([1, 2, 3].map((i) => step("part " + i, () => i)));
} });
export default () => graph().start(work);`,
  );
  const run = await world.run(["test", file, "--script", script, "--json"]);
  const { isPassed, records } = JSON.parse(run.stdout) as { isPassed: boolean; records: number };

  // Stored in one write, the steps would leave two records less.
  expect({ isPassed, records }).toEqual({ isPassed: true, records: 6 });
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
  expect(run.stderr).toContain("crashes changed the result");
});

test("a workflow that does not complete on the script is reported as failing, with the reason", async () => {
  const file = workflow("sound2", `export default () => graph().start(turn("one"));`);
  const failing = world.script("failing", [{ match: "two", steps: [{ say: "x" }] }]);
  const run = await world.run(["test", file, "--script", failing]);
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toMatch(/^✗ sound2: failed, \d+ records\n$/);
  expect(run.stderr).toContain("does not complete on this script");
  const asking = world.script("asking", [{ steps: [{ ask: { question: "Sure?" }, as: "it" }, { say: "${it}" }] }]);
  const waiting = await world.run(["test", file, "--script", asking]);
  expect(waiting.exitCode).toBe(1);
  expect(waiting.stdout).toMatch(/^✗ sound2: paused \(needs-human\), /);
  expect(waiting.stderr).toContain("--answer");
  expect((await world.run(["test", file, "--script", asking, "--answer", "Sure?=yes"])).exitCode).toBe(0);
});

test("--cwd is copied for each run", async () => {
  world.write("fixture/seed.txt", "seed");
  const file = workflow("seeded", `export default () => graph().start(turn("one"));`);
  const reads = world.script("reads", [{ steps: [{ bash: "cat seed.txt", expect: 0 }, { say: "ok" }] }]);

  expect((await world.run(["test", file, "--script", reads, "--cwd", `${world.root}/fixture`])).exitCode).toBe(0);
  expect(world.read("fixture/seed.txt")).toBe("seed");
});

/** A node that looks around and writes in every way that takes the current folder. */
const roaming = `import { execSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const roam = createNode({ id: "roam", execute: async (ctx) => {
  writeFileSync("written.txt", "by the node");
  execSync("echo by a program > ran.txt");
  await Bun.write("bun.txt", "by Bun");
  const seen = ["tracked.txt", "deep/untracked.txt", "ignored.txt"].filter((name) => existsSync(name));
  const isSame = process.cwd() === ctx.state.cwd;
  return { stateUpdate: { outputs: { seen, isSame, text: readFileSync("tracked.txt", "utf8"), log: execSync("git log --format=%an 2>&1 || true").toString() } } };
} });
export default () => graph().start(roam);`;

test("nodes work in a copy of the project, whatever way they name its files, and the project stays as it is", async () => {
  const world = createCliWorld();
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: world.project, env: world.env });
  git("init", "--quiet");
  world.write("project/tracked.txt", "committed");
  world.write("project/.gitignore", "ignored.txt\nnode_modules\n");
  git("add", ".");
  git("-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "--quiet", "-m", "x");
  world.write("project/tracked.txt", "changed since");
  world.write("project/deep/untracked.txt", "");
  world.write("project/ignored.txt", "");
  const before = git("status", "--porcelain", "--ignored").stdout.toString();
  const file = world.write("roam.ts", source("roam", roaming));
  const nothing = world.script("nothing", []);
  const run = await world.run(["test", file, "--script", nothing, "--json"]);

  expect(JSON.parse(run.stdout)).toMatchObject({ status: "completed", isPassed: true });
  expect(run.exitCode).toBe(0);
  expect(git("status", "--porcelain", "--ignored").stdout.toString()).toBe(before);
  expect(world.read("project/tracked.txt")).toBe("changed since");
  expect(readdirSync(world.root).filter((name) => name.startsWith("atomic-test-"))).toEqual([]);
  // What the nodes saw there, from a run that fails with it.
  const shows = world.write(
    "shows.ts",
    source(
      "shows",
      roaming.replace(
        "return {",
        "throw new Error(JSON.stringify({ seen, isSame, text: readFileSync('tracked.txt', 'utf8'), log: execSync('git log --format=%an').toString() })); return {",
      ),
    ),
  );
  const shown = await world.run(["test", shows, "--script", nothing]);
  expect(shown.exitCode).toBe(1);
  expect(shown.stderr).toContain(
    '{"seen":["tracked.txt","deep/untracked.txt"],"isSame":true,"text":"changed since","log":"Atomic\\n"}',
  );
});

test("outside a repository all files but packages are copied; more than a test can copy is refused", async () => {
  const world = createCliWorld();
  world.write("project/tracked.txt", "plain");
  world.write("project/node_modules/p/index.js", "");
  const file = world.write("roam.ts", source("roam", roaming));
  const nothing = world.script("nothing", []);
  expect((await world.run(["test", file, "--script", nothing])).exitCode).toBe(0);
  expect(readdirSync(world.project).toSorted()).toEqual(["node_modules", "tracked.txt"]);

  const first = world.write("project/many/0", "");
  for (let i = 1; i <= 20_000; i++) linkSync(first, join(world.project, "many", String(i)));
  const refused = await world.run(["test", file, "--script", nothing]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("more than 20000 files");
  expect(refused.stderr).toContain("--cwd DIR");
});

test("Ctrl+C ends a test, removes its copies and judges nothing", async () => {
  const world = createCliWorld();
  const file = world.write("slow.ts", source("slow", `export default () => graph().start(turn("one"));`));
  const hang = world.script("hang", [{ steps: [{ bash: "touch ../../../started" }, { hang: true }] }]);
  const run = world.start(["test", file, "--script", hang]);
  await poll(() => (readdirSync(world.root).includes("started") ? true : undefined));
  run.signal("SIGINT");
  const ended = await run.ended;

  expect(ended).toMatchObject({ exitCode: 130, stdout: "" });
  expect(ended.stderr).toContain("The test was stopped");
  expect(readdirSync(world.root).filter((name) => name.startsWith("atomic-test-"))).toEqual([]);
});

test("wrong usage is reported", async () => {
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
