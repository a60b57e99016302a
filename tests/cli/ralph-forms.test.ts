// The forms of `atomic ralph`, as a user types them. What happens inside is tested beside the workflow.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const usage = { usage: { inputTokens: 10, outputTokens: 1, costUsd: 0.01 } };
const plan = JSON.stringify({
  tasks: [
    { id: "1", title: "First" },
    { id: "2", title: "Second", blockedBy: ["#1"] },
  ],
});
const correct = JSON.stringify({ verdict: "correct", findings: [] });
const script = world.script("ralph", [
  { agent: "planner", steps: [{ say: plan }, usage] },
  { agent: "worker", task: "1", steps: [{ write: { path: "one.txt", content: "1" } }, usage, { say: "ok" }] },
  {
    agent: "worker",
    task: "2",
    steps: [{ bash: "cat one.txt", expect: 0 }, { write: { path: "two.txt", content: "2" } }, usage, { say: "ok" }],
  },
  { agent: "reviewer", steps: [{ say: correct }, usage] },
]);
const ralph = (...words: string[]) => world.run(["ralph", "--script", script, ...words]);

test('ralph "PROMPT" plans, works, verifies, reviews and reports', async () => {
  const run = await ralph("Make two files", "--verify", "test -e one.txt", "--workers", "2");

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toMatch(/^Started Ralph session: [0-9a-f-]{36}\n/);
  expect(run.stderr).toContain("check test -e one.txt: exit 0");
  expect(run.stderr).toContain("✓ 2  Second  (2 of 2 tasks, $0.0");
  expect(run.stdout).toStartWith("Report\n");
  expect(run.stderr).toContain("Completed: 2 of 2 tasks");
  expect(readFileSync(join(world.project, "two.txt"), "utf8")).toBe("2");
});

test("a verify command that never passes fails the run and names the task", async () => {
  const run = await ralph("Make two files", "--verify", "test -e never.txt", "--max-tries", "1", "--max-reviews", "0");

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("check test -e never.txt: exit 1");
  expect(run.stderr).toContain("Ralph session failed: ");
  expect(run.stderr).toContain("2 of 2 tasks are not done");
});

test("ralph alone needs a task list, says how to make one, and takes --feature-list", async () => {
  const none = await ralph();
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain("There is no task list");
  const list = world.write("list.json", { version: "1.0", tasks: [{ id: "1", title: "First", status: "pending" }] });
  const run = await ralph("--feature-list", list, "--max-reviews", "0", "--json");
  expect(run.exitCode).toBe(0);
  expect(
    run
      .events()
      .filter(({ type, task }) => type === "task.updated" && (task as { status: string }).status === "completed"),
  ).toHaveLength(1);
});

test("--yolo needs a prompt, and ends when the last line says so", async () => {
  const bare = await ralph("--yolo");
  expect(bare.exitCode).toBe(2);
  expect(bare.stderr).toContain('Yolo mode requires a prompt. Use: /ralph --yolo "your task"');
  const loop = world.script("loop", [
    { times: 2, steps: [{ say: "Not yet COMPLETE" }, usage] },
    { steps: [{ say: "All done.\nCOMPLETE" }, usage] },
  ]);
  const run = await world.run([
    "ralph",
    "--yolo",
    "Do it",
    "--script",
    loop,
    "--max-iterations",
    "0",
    "--max-stuck",
    "0",
  ]);
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("iteration 3");
  expect(run.stderr).toContain("only completion, another limit or Ctrl+C ends this run");
});

test("--max-iterations ends a yolo loop with exit 5, and ralph --resume continues", async () => {
  const loop = world.script("endless", [{ steps: [{ bash: "echo x >> turns.txt" }, { say: "more to do" }, usage] }]);
  const run = await world.run(["ralph", "--yolo", "Do it", "--script", loop, "--max-iterations", "2", "--json"]);
  const id = run.events()[0]?.runId ?? "";
  expect(run.exitCode).toBe(5);
  expect(run.stderr).toContain(
    `Paused Ralph session: ${id}\nThe limit of 2 iterations is reached and work is left.\nResume with: atomic resume ${id} --max-iterations N`,
  );

  const done = world.script("endless", [{ steps: [{ say: "COMPLETE" }, usage] }]);
  const resumed = await world.run(["ralph", "--resume", id, "--max-iterations", "5", "--script", done]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stderr).toContain(`Resumed Ralph session: ${id}`);
  expect(world.read("project/turns.txt")).toBe("x\nx\n");
});

test("run loop is run ralph", async () => {
  expect(
    (await world.run(["run", "loop", "Make two files", "--script", script, "--max-reviews", "0"])).stderr,
  ).toContain("Started Ralph session: ");
});
