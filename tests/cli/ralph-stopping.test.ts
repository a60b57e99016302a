// A ralph run with several workers that is stopped in the middle: by Ctrl+C, by two of them, and by a kill. What was done
// is not done again, what was under way continues in its own session, and no child is left behind.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, type Live, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

interface StoppingWorld extends CliWorld {
  /** Three workers: one is done when the other two are in the middle of their turns. */
  begin(): Promise<Live>;
  lines(): readonly string[];
  childrenAlive(): number;
}

function makeWorld(): StoppingWorld {
  const world = createCliWorld();
  const log = join(world.root, "log.txt");
  const lines = (): readonly string[] => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []);
  const goesOn = (task: string) => ({
    agent: "worker",
    task,
    match: "^You were interrupted",
    steps: [{ bash: `echo ${task} goes on >> ../log.txt` }, { say: "done" }],
  });
  const long = (task: string) => ({
    agent: "worker",
    task,
    steps: [{ bash: `echo ${task} >> ../log.txt; echo $$ >> ../pids.txt; sleep 600` }, { say: "done" }],
  });
  const tasks = ["1", "2", "3", "4"].map((id) => ({ id, title: `Task ${id}`, blockedBy: id === "4" ? ["2"] : [] }));
  const script = world.script("s", [
    { agent: "planner", steps: [{ bash: "echo plan >> ../log.txt" }, { say: JSON.stringify({ tasks }) }] },
    { agent: "worker", task: "1", steps: [{ bash: "echo 1 >> ../log.txt" }, { say: "done" }] },
    goesOn("2"),
    goesOn("3"),
    long("2"),
    long("3"),
    { agent: "worker", task: "4", steps: [{ bash: "echo 4 >> ../log.txt" }, { say: "done" }] },
  ]);
  return {
    ...world,
    lines,
    async begin() {
      const run = world.start(["ralph", "Do it", "--script", script, "--max-reviews", "0", "--json"]);
      await poll(() => (lines().includes("2") && lines().includes("3") ? true : undefined));
      await run.seen('"id":"1","title":"Task 1","status":"completed"');
      return run;
    },
    childrenAlive: () =>
      readFileSync(join(world.root, "pids.txt"), "utf8").split("\n").filter(Boolean).map(Number).filter(isAlive).length,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function expectResumed(world: StoppingWorld): Promise<void> {
  const resumed = await world.run(["resume", "--json"]);
  expect(resumed.exitCode).toBe(0);
  expect(world.lines().toSorted()).toEqual(["1", "2", "2 goes on", "3", "3 goes on", "4", "plan"]);
  const told = resumed.events().filter(({ type }) => type === "task.updated");
  expect(told.map(({ task }) => (task as { id: string }).id)).not.toContain("1");
  expect(world.childrenAlive()).toBe(0);
}

test("Ctrl+C interrupts every worker, leaves no child, and resume continues each where it was", async () => {
  const world = makeWorld();
  const run = await world.begin();
  run.signal("SIGINT");
  const ended = await run.ended;

  expect(ended.exitCode).toBe(130);
  expect(ended.events().at(-1)).toMatchObject({ type: "run.paused", reason: "interrupted" });
  await poll(() => (world.childrenAlive() === 0 ? true : undefined));
  const page = await world.run(["sessions", "show"]);
  expect(page.stdout).toContain("✓ 1  Task 1");
  expect(page.stdout).toContain("→ 2  Task 2");
  expect(page.stdout).toContain("· 4  Task 4");
  await expectResumed(world);
});

test("a second Ctrl+C ends it at once, with no child left and nothing lost", async () => {
  const world = makeWorld();
  const run = await world.begin();
  run.signal("SIGINT");
  run.signal("SIGINT");
  const ended = await run.ended;

  expect(ended.exitCode).toBe(130);
  await poll(() => (world.childrenAlive() === 0 ? true : undefined));
  await expectResumed(world);
});

test("after kill -9 the run shows as interrupted, and the next process ends what the last one left", async () => {
  const world = makeWorld();
  const run = await world.begin();
  run.signal("SIGKILL");
  await run.ended;

  expect(world.childrenAlive()).toBe(2);
  const listed = JSON.parse((await world.run(["sessions", "--json"])).stdout) as readonly object[];
  expect(listed).toMatchObject([{ status: "interrupted", tasks: { completed: 1, total: 4 } }]);
  await expectResumed(world);
});
