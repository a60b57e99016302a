// What comes after the workers: delivering later or in part, removing what a run left in the repository, finding what
// has no run any more.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, hotLine, type IsolationWorld, release, resolver, untilFile } from "./isolation-world.ts";

setDefaultTimeout(patienceMs);

const writes = (task: string, path: string): object => ({
  agent: "worker",
  task,
  steps: [{ write: { path, content: `${task}\n` } }, { say: "done" }],
});

async function landNone(world: IsolationWorld): Promise<string> {
  const script = world.plan(
    ["1", "2", "3"].map((id) => ({ id })),
    [resolver, writes("1", "one.txt"), hotLine("2"), writes("3", "three.txt")],
  );
  const run = await world.ralph(script, "--land", "none");
  expect(run.exitCode).toBe(0);
  return world.onlyRun();
}

test("atomic land delivers chosen tasks first, and the rest later", async () => {
  const world = createIsolationWorld();
  const id = await landNone(world);

  const part = await world.run(["land", id, "2"]);
  expect(part.stderr).toBe("");
  expect(part.stdout).toBe("Changed 1 file in your folder.\n");
  expect(world.file("shared.txt")).toBe("top\nHOT\nline 2\nbottom\n");
  expect(existsSync(join(world.project, "one.txt"))).toBe(false);

  const rest = await world.run(["land", id]);
  expect(rest.stdout).toBe("Changed 2 files in your folder.\n");
  expect(world.file("one.txt")).toBe("1\n");
  expect((await world.run(["land", id])).stdout).toBe("Nothing to do: your folder is up to date.\n");
});

test("a cancelled run says that what had landed can be applied, and so it can", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }, { id: "2", blockedBy: ["1"] }],
    [writes("1", "one.txt"), { agent: "worker", task: "2", steps: [untilFile(world, "never"), { say: "done" }] }],
  );
  const run = world.startRalph(script);
  await run.seen("→ 2");
  const id = world.onlyRun();
  const hint = `The work of 1 finished task is kept. Apply it with: atomic land ${id}`;

  const cancelled = await world.run(["cancel", id]);
  expect(cancelled.stdout).toBe(`Cancelled Ralph session: ${id}\n${hint}\n`);
  expect((await run.ended).stderr).toEndWith(`A cancelled run can't be resumed.\n${hint}\n`);
  expect(existsSync(join(world.project, "one.txt"))).toBe(false);
  expect((await world.run(["land", id])).stdout).toBe("Changed 1 file in your folder.\n");
  expect(world.file("one.txt")).toBe("1\n");
});

test("a run that landed nothing says nothing of it when it is cancelled", async () => {
  const world = createIsolationWorld();
  const script = world.plan([{ id: "1" }], [{ agent: "worker", steps: [untilFile(world, "never"), { say: "done" }] }]);
  const run = world.startRalph(script);
  await run.seen("→ 1");
  const id = world.onlyRun();
  expect((await world.run(["cancel", id])).stdout).toBe(`Cancelled Ralph session: ${id}\n`);
  expect((await run.ended).stderr).toEndWith("A cancelled run can't be resumed.\n");
});

test("atomic land touches no file that the user changed, names it, and works once it is out of the way", async () => {
  const world = createIsolationWorld();
  const id = await landNone(world);
  world.put("shared.txt", "mine\n");

  const refused = await world.run(["land", id]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("Nothing was written, you changed 1 file since:\n  shared.txt");
  expect(refused.stderr).toContain(`The work is on the branch atomic/${id}.`);
  expect(world.file("shared.txt")).toBe("mine\n");
  expect(existsSync(join(world.project, "one.txt"))).toBe(false);

  world.git("checkout", "shared.txt");
  expect((await world.run(["land", id])).exitCode).toBe(0);
  expect(world.file("shared.txt")).toBe("top\nHOT\nline 2\nbottom\n");
});

test("atomic land names what it has no work of, and a run whose workers shared the folder", async () => {
  const world = createIsolationWorld();
  const id = await landNone(world);
  const unknown = await world.run(["land", id, "9"]);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain('has no work of a task "9"');

  const shared = createIsolationWorld();
  await shared.ralph(shared.plan([{ id: "1" }], [writes("1", "one.txt")]), "--no-isolate");
  const run = await shared.run(["land", shared.onlyRun()]);
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain("has nothing to land: its workers shared the folder");
});

test("atomic land brings in the work of a task that failed, when it is named", async () => {
  const world = createIsolationWorld();
  const script = world.plan([{ id: "1", verify: "false" }], [writes("1", "one.txt")]);
  expect((await world.ralph(script, "--max-tries", "1")).exitCode).toBe(1);
  const id = world.onlyRun();
  expect(existsSync(join(world.project, "one.txt"))).toBe(false);

  expect((await world.run(["land", id, "1"])).exitCode).toBe(0);
  expect(world.file("one.txt")).toBe("1\n");
});

test("sessions rm removes the trees and refs of a run that was stopped in the middle", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }, { id: "2" }],
    [writes("1", "one.txt"), { agent: "worker", task: "2", steps: [untilFile(world, "never"), { say: "x" }] }],
  );
  const live = world.startRalph(script);
  await live.seen("✓ 1");
  live.signal("SIGINT");
  expect((await live.ended).exitCode).toBe(130);
  expect(world.leftTrees().length).toBeGreaterThan(0);
  const other = world.git("worktree", "add", "--detach", "--lock", "-q", join(world.root, "atomic-mine"));
  expect(other).toBe("");

  const removed = await world.run(["sessions", "rm", world.onlyRun()]);

  expect(removed.stderr).toBe("");
  expect(world.git("for-each-ref", "refs/atomic")).toBe("");
  expect(world.git("worktree", "list", "--porcelain").match(/^worktree .*$/gm)?.length).toBe(2);
  expect(existsSync(join(world.root, "atomic-mine", "shared.txt"))).toBe(true);
});

test("doctor lists work trees whose run is gone", async () => {
  const world = createIsolationWorld();
  const script = world.plan([{ id: "1" }], [{ agent: "worker", steps: [untilFile(world, "never"), { say: "x" }] }]);
  const live = world.startRalph(script);
  await live.seen("→ 1");
  live.signal("SIGINT");
  await live.ended;
  expect((await world.run(["doctor"])).stdout).toMatch(/ok +work trees +1 work tree\n/);
  const id = world.onlyRun();
  rmSync(join(world.sessions, id), { recursive: true });

  const { stdout } = await world.run(["doctor"]);

  expect(stdout).toMatch(/warning +work trees +1 work tree, 1 left behind by removed runs/);
  expect(stdout).toContain(`belongs to run ${id}, which no longer exists`);
});

test("worktrees.dir moves the trees; inside the repository they are refused", async () => {
  const world = createIsolationWorld();
  const dir = join(world.root, "elsewhere");
  mkdirSync(dir);
  const script = world.plan(
    [{ id: "1" }],
    [{ agent: "worker", steps: [{ bash: "pwd > where.txt" }, untilFile(world, "go"), { say: "x" }] }],
  );
  const env = { ATOMIC_WORKTREES_DIR: dir };
  const live = world.start(["ralph", "Do it", "--script", script, "--max-reviews", "0"], { env });
  await live.seen("→ 1");
  release(world, "go");
  expect((await live.ended).exitCode).toBe(0);
  expect(world.file("where.txt")).toStartWith(`${dir}/${world.onlyRun()}/`);
  expect(world.leftTrees()).toEqual([]);

  const inside = createIsolationWorld();
  const run = await inside.run(
    ["ralph", "Do it", "--script", inside.plan([{ id: "1" }], [writes("1", "one.txt")]), "--max-reviews", "0"],
    { env: { ATOMIC_WORKTREES_DIR: join(inside.project, "trees") } },
  );
  expect(run.stderr).toContain("is inside the repository; set worktrees.dir to a folder outside");
});

test("sessions verify runs every check again on the tree that it passed on", async () => {
  const world = createIsolationWorld();
  const flag = join(world.root, "flag");
  world.write("flag", "");
  const script = world.plan(
    [
      { id: "1", verify: "test -e one.txt" },
      { id: "2", verify: `test -e ${flag}` },
    ],
    [writes("1", "one.txt"), writes("2", "two.txt")],
  );
  expect((await world.ralph(script)).exitCode).toBe(0);
  const id = world.onlyRun();
  // What is in the user's folder now does not count.
  rmSync(join(world.project, "one.txt"));

  const holds = await world.run(["sessions", "verify", id]);
  expect(holds.stdout).toMatch(/✓ test -e one\.txt on tree [0-9a-f]{11}… \(task 1\): still passes/);
  expect(holds.stdout).toContain("2 of 2 still pass.");
  expect(holds.exitCode).toBe(0);

  rmSync(flag);
  const fails = await world.run(["sessions", "verify", id]);
  expect(fails.exitCode).toBe(1);
  expect(fails.stdout).toContain("(task 2): no longer passes");
  expect(world.leftTrees()).toEqual([]);
});

test("sessions verify says what can't be run again when workers shared the folder", async () => {
  const world = createIsolationWorld();
  const script = world.plan([{ id: "1", verify: "test -e one.txt" }], [writes("1", "one.txt")]);
  expect((await world.ralph(script, "--no-isolate")).exitCode).toBe(0);

  const run = await world.run(["sessions", "verify", world.onlyRun()]);

  expect(run.exitCode).toBe(1);
  expect(run.stdout).toContain("can't be run again");
});

test("a tree that an ended run could not remove any more goes with the next run", async () => {
  const world = createIsolationWorld();
  const id = "01234567-89ab-4cde-8f01-23456789abcd";
  const name = `atomic-${id.slice(0, 8)}-_discarded-1`;
  const record = join(world.project, ".git/atomic/trees", name);
  const folder = join(world.root, "trees", name);
  mkdirSync(join(folder, "src"), { recursive: true });
  mkdirSync(record, { recursive: true });
  writeFileSync(join(record, "run"), `${id}\n`);
  writeFileSync(join(record, "folder"), `${folder}\n`);

  expect((await world.ralph(world.plan([{ id: "4" }], [writes("4", "four.txt")]), "--isolate")).exitCode).toBe(0);

  await eventually("it is gone", () => !existsSync(folder) && !existsSync(record), patienceMs);
  expect(world.leftTrees()).toEqual([]);
});
