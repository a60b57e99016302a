// What a session's folder holds for people and scripts (001, 5.4.3): session.json, progress.txt, checkpoints, research.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const correct = JSON.stringify({ verdict: "correct", findings: [] });
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Session {
  readonly json: Record<string, unknown> & { readonly features: readonly Record<string, unknown>[] };
  readonly progress: string;
  readonly checkpoints: readonly Record<string, unknown>[];
  readonly research: Readonly<Record<string, string>>;
}

function sessionOf(world: CliWorld): Session {
  const folder = join("home/.atomic/workflows/sessions", world.onlyRun());
  const files = (name: string) => readdirSync(join(world.root, folder, name)).toSorted();
  const read = (...parts: readonly string[]) => world.read(join(folder, ...parts));
  for (const name of ["session.json", "progress.txt", ...files("research").map((each) => `research/${each}`)])
    expect(statSync(join(world.root, folder, name)).mode & 0o077).toBe(0);
  return {
    json: JSON.parse(read("session.json")) as Session["json"],
    progress: read("progress.txt"),
    checkpoints: files("checkpoints").map((name) => JSON.parse(read("checkpoints", name)) as Record<string, unknown>),
    research: Object.fromEntries(files("research").map((name) => [name, read("research", name)])),
  };
}

function git(world: CliWorld, ...args: readonly string[]): void {
  const words = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", ...args];
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd: world.project, env: world.env });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

test("a ralph session says where its tasks came from, what they asked for, when they were done, and its pull request", async () => {
  const world = createCliWorld();
  const list = world.write("project/research/feature-list.json", {
    features: [
      { id: "1", name: "First", description: "D", acceptanceCriteria: ["works"], status: "pending" },
      { id: "2", name: "Second", description: "E", status: "passing" },
    ],
  });
  git(world, "init", "-q", "-b", "main");
  git(world, "commit", "-q", "--allow-empty", "-m", "first");
  git(world, "remote", "add", "origin", "/nowhere");
  const script = world.script("s", [
    { match: "What was done", steps: [{ bash: "git switch -q -c work" }, { say: "https://example.test/pr/7" }] },
    { agent: "worker", steps: [{ write: { path: "one.txt", content: "1" } }, { say: "ok" }] },
    { agent: "reviewer", steps: [{ say: correct }] },
  ]);
  const run = await world.run(["ralph", "--script", script, "--verify", "test -e one.txt", "--pr"]);
  expect(run.exitCode).toBe(0);
  const { json, progress, checkpoints, research } = sessionOf(world);

  expect(json).toMatchObject({
    status: "completed",
    mode: "feature-list",
    sourceFeatureListPath: list,
    prUrl: "https://example.test/pr/7",
    prBranch: "work",
    completedFeatures: ["1", "2"],
    features: [{ id: "1", acceptanceCriteria: ["works"], status: "passing" }, { id: "2" }],
  });
  expect(json.features[0]?.["implementedAt"]).toMatch(isoTime);
  expect(json.features[1]).not.toHaveProperty("implementedAt");
  expect(progress).toContain("Mode:    feature-list\n");
  expect(progress).toContain(`List:    ${list}\n`);
  expect(progress).toContain("PR:      https://example.test/pr/7\nBranch:  work\n");
  const history = progress.slice(progress.indexOf("## History")).split("\n").slice(2, -1);
  expect(history.map((line) => line.replace(/^\[\S+Z\] /, ""))).toEqual([
    "started",
    "✓ task 1: First",
    "review 1: correct",
    "pull request: https://example.test/pr/7",
    "completed",
  ]);
  expect(checkpoints.at(-1)).toMatchObject({
    node: "report",
    visit: 1,
    state: { mode: "tasks", tasks: [{ id: "1" }, {}] },
  });
  expect(Object.keys(research)).toEqual(["report.md", "review-1.md"]);
  expect(research["report.md"]).toContain("- [x] 1: First (completed)\n  - `test -e one.txt` exits with 0 on tree");
  expect(research["review-1.md"]).toBe("# Review 1: correct\n\nNo findings.\n");
});

test("a planned session keeps its spec and its plan, and what failed is in its history", async () => {
  const world = createCliWorld();
  world.write("project/spec.md", "# Build it\n\nAll of it.\n");
  const plan = { tasks: [{ id: "1", title: "One", description: "Do one", verify: "false", blockedBy: [] }] };
  const script = world.script("s", [
    { agent: "planner", steps: [{ say: JSON.stringify(plan) }] },
    { agent: "worker", steps: [{ say: "ok" }] },
  ]);
  const run = await world.run(["ralph", "spec.md", "--script", script, "--max-tries", "1", "--max-reviews", "0"]);
  expect(run.exitCode).toBe(1);
  const { json, progress, research } = sessionOf(world);

  expect(json).toMatchObject({ status: "failed", mode: "plan" });
  expect(json).not.toHaveProperty("sourceFeatureListPath");
  expect(progress).toContain("✗ task 1: One (not done after 1 try: `false` exits with 1)\n");
  expect(research["spec.md"]).toBe("# Build it\n\nAll of it.\n");
  expect(research["plan.md"]).toContain("## 1: One\n\n**The task**\n\nDo one\n\nCheck: `false`\n");
});

test("a yolo session says so, and counts its iterations", async () => {
  const world = createCliWorld();
  const script = world.script("s", [
    { times: 2, steps: [{ bash: "echo x >> x.txt" }, { say: "more" }] },
    { steps: [{ say: "COMPLETE" }] },
  ]);
  expect((await world.run(["ralph", "--yolo", "Do it", "--script", script])).exitCode).toBe(0);
  const { json, progress, checkpoints } = sessionOf(world);

  expect(json).toMatchObject({ yolo: true, mode: "yolo (freestyle)", iteration: 3 });
  expect(progress).toContain("] → iteration 3\n");
  expect(checkpoints.at(-1)).toMatchObject({ node: "report", state: { loop: { iterations: 3 } } });
});

test("a session of any workflow has checkpoints of its state", async () => {
  const world = createCliWorld();
  world.workflow(
    "hello",
    `import { graph, toolNode, type BaseState } from "atomic/workflows";
export const name = "hello";
export const prompt = "none";
export default () => graph<BaseState>().start(toolNode({ id: "greet", execute: () => "hi" })).compile();
`,
  );
  expect((await world.run(["run", "hello", "--script", world.script("s", [])])).exitCode).toBe(0);
  const { checkpoints, progress } = sessionOf(world);

  expect(checkpoints).toMatchObject([{ node: "greet", key: "greet#1", visit: 1, state: { outputs: { greet: "hi" } } }]);
  expect(progress).not.toContain("Mode:");
});

test("runs kept inside a repository are not part of its work, from the first one on", async () => {
  const world = createCliWorld();
  const git = (...words: readonly string[]): string =>
    Bun.spawnSync(["git", ...words], { cwd: world.project, env: { ...world.env } }).stdout.toString();
  git("init", "-q");
  const script = world.script("s", [{ steps: [{ say: "done" }] }]);
  const env = { ATOMIC_SESSIONS_DIR: join(world.project, ".kept/sessions") };
  const run = await world.run(["run", "commit", "Do it", "-a", "scripted", "--script", script], { env });

  expect({ exitCode: run.exitCode, stderr: run.stderr }).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(world.project, ".kept/sessions")).length).toBeGreaterThan(1);
  expect(git("status", "--short", "--", ".kept")).toBe("");
});
