// When work counts as stuck: only when the folder is known to be unchanged. A stuck run pauses, and can be resumed.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, type Ended, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

function git(world: CliWorld, ...args: readonly string[]): void {
  const words = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", ...args];
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd: world.project, env: world.env });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

/** Three rounds that say the same and overwrite one file with as many other bytes, then a last one. */
function rewriting(world: CliWorld, file: string): Promise<Ended> {
  const script = world.script("rewrite", [
    { times: 3, steps: [{ bash: `cat /proc/sys/kernel/random/uuid > ${file}` }, { say: "Still at it." }] },
    { steps: [{ say: "COMPLETE" }] },
  ]);
  return world.run(["ralph", "--yolo", "Do it", "--script", script, "--max-stuck", "1", "--json"]);
}

const iterations = (run: Ended): number => run.events().filter(({ type }) => type === "iteration.started").length;

for (const [what, file] of [
  ["a tracked file", "tracked.txt"],
  ["an untracked file", "notes.txt"],
  ["a file in a repository inside the repository", "inner/notes.txt"],
] as const) {
  test(`a loop that rewrites ${what} in a git repository is not stuck`, async () => {
    const world = createCliWorld();
    world.write("project/tracked.txt", "0");
    world.write("project/inner/kept.txt", "0");
    git(world, "init", "--quiet");
    git(world, "-C", "inner", "init", "--quiet");
    git(world, "-C", "inner", "add", ".");
    git(world, "-C", "inner", "commit", "--quiet", "-m", "inner");
    git(world, "add", "tracked.txt");
    git(world, "commit", "--quiet", "-m", "first");
    const run = await rewriting(world, file);

    expect(run.stderr).toBe("");
    expect(run.exitCode).toBe(0);
    expect(iterations(run)).toBe(4);
  });
}

test("a loop that rewrites the last of more than 20,000 files without git is not stuck", async () => {
  const world = createCliWorld();
  for (let i = 0; i < 21_000; i++) {
    const folder = join(world.project, `d${String(Math.floor(i / 1000)).padStart(2, "0")}`);
    if (i % 1000 === 0) mkdirSync(folder);
    writeFileSync(join(folder, `f${i}`), "");
  }
  const run = await rewriting(world, "zz-last.txt");

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(iterations(run)).toBe(4);
});

test("a loop that rewrites a file in a folder without git that ignores everything is not stuck", async () => {
  const world = createCliWorld();
  world.write("project/.gitignore", "*\n");
  const run = await rewriting(world, "notes.txt");

  expect([run.exitCode, run.stderr, iterations(run)]).toEqual([0, "", 4]);
});

test("a loop whose agent tells of progress in numbers is not stuck", async () => {
  const world = createCliWorld();
  git(world, "init", "--quiet");
  const batch = (done: number): object => ({ times: 1, steps: [{ say: `${done} of 30 batches are sent.` }] });
  const script = world.script("batches", [batch(10), batch(20), batch(30), { steps: [{ say: "COMPLETE" }] }]);
  const run = await world.run(["ralph", "--yolo", "Do it", "--script", script, "--max-stuck", "1", "--json"]);

  expect([run.exitCode, run.stderr, iterations(run)]).toEqual([0, "", 4]);
});

test("a loop that is stuck pauses with exit 5, and a resumed one gets as many rounds again", async () => {
  const world = createCliWorld();
  git(world, "init", "--quiet");
  const script = world.script("s", [{ steps: [{ say: "still 3 things to do" }] }]);
  const run = await world.run(["ralph", "--yolo", "Do it", "--script", script, "--max-stuck", "2", "--json"]);
  const id = world.onlyRun();

  expect(run.exitCode).toBe(5);
  expect(run.stderr).toContain("Stuck: the last 3 iterations changed no file but ignored ones and said the same");
  expect(run.stderr).toContain(`Resume with: atomic resume ${id}`);
  expect(iterations(run)).toBe(3);

  const again = await world.run(["resume", id, "--json"]);
  expect(again.exitCode).toBe(5);
  expect(iterations(again)).toBe(2);

  const done = world.script("done", [{ steps: [{ say: "COMPLETE" }] }]);
  const last = await world.run(["resume", id, "--script", done, "--json"]);
  expect(last.stderr).toBe("");
  expect(last.exitCode).toBe(0);
});

test("a task that is stuck pauses the run once the rest is done, and is tried again when it is resumed", async () => {
  const world = createCliWorld();
  git(world, "init", "--quiet");
  const list = world.write("list.json", {
    tasks: [
      { id: "1", title: "Stuck", verify: "test -e go" },
      { id: "2", title: "Waits", blockedBy: ["1"] },
      { id: "3", title: "Free" },
    ],
  });
  const words = ["--script", world.script("s", [{ agent: "worker", steps: [{ say: "ok" }] }]), "--json"];
  const tasks = ["--feature-list", list, "--trust", "--max-tries", "9", "--max-stuck", "1", "--max-reviews", "0"];
  const run = await world.run(["ralph", ...tasks, ...words, "--workers", "1"]);
  const id = world.onlyRun();

  expect(run.exitCode).toBe(5);
  expect(run.stderr).toContain("2 of 3 tasks are not done: 1 failed (stuck: 2 tries changed no file but ignored ones");
  expect(run.stderr).toContain(`Resume with: atomic resume ${id}`);

  world.write("project/go", "");
  const again = await world.run(["resume", id, ...words]);
  const done = again.events().filter(({ type, task }) => type === "task.updated" && isDone(task));
  expect(again.stderr).toBe("");
  expect(again.exitCode).toBe(0);
  expect(done.map(({ task }) => (task as { id: string }).id)).toEqual(["1", "2"]);
  expect(JSON.parse(world.read(`home/.atomic/workflows/sessions/${id}/tasks.json`)).tasks).toEqual([
    expect.not.objectContaining({ error: expect.anything() }),
    expect.objectContaining({ id: "2", status: "passing" }),
    expect.objectContaining({ id: "3", status: "passing" }),
  ]);
});

function isDone(task: unknown): boolean {
  return (task as { readonly status: string }).status === "completed";
}
