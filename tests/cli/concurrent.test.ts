// A second run in a folder where one is live, or on a task list that another run works on: said and asked, or refused.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const wait = { steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "COMPLETE" }] };
const words = ["--max-reviews", "0", "--workers", "1"];

async function worldWithLive(...start: readonly string[]) {
  const world = createCliWorld();
  const script = world.script("s", [wait]);
  world.write("project/tasks.json", { version: "1.0", tasks: [{ id: "1", title: "First" }] });
  world.write("other/x", "");
  const live = world.start([...start, "--script", script]);
  const id = /session: (\S+)/.exec(await live.seen(/session: \S+/))?.[1] ?? "";
  return { world, script, live, id };
}

const runsOf = (world: CliWorld): number =>
  readdirSync(world.sessions).filter((name) => /^[0-9a-f-]{36}$/.test(name)).length;

test("a second run in a folder where one is live is refused without a terminal, and runs with --concurrent", async () => {
  const { world, script, live, id } = await worldWithLive("ralph", "--yolo", "work");

  const second = await world.run(["ralph", "--yolo", "more", "--script", script]);
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain("FOLDER_BUSY");
  expect(second.stderr).toContain(`atomic pause ${id}`);
  expect(runsOf(world)).toBe(1);

  // Another folder is free.
  world.write("other/go", "");
  const elsewhere = await world.run(["ralph", "--yolo", "more", "--script", script, "--cwd", `${world.root}/other`]);
  expect(elsewhere.exitCode).toBe(0);

  world.write("project/go", "");
  expect((await live.ended).exitCode).toBe(0);
  expect((await world.run(["ralph", "--yolo", "more", "--script", script])).exitCode).toBe(0);
});

test("--concurrent runs both", async () => {
  const { world, live } = await worldWithLive("ralph", "--yolo", "work");
  const quick = world.script("quick", [{ steps: [{ say: "COMPLETE" }] }]);
  const second = await world.run(["ralph", "--yolo", "more", "--script", quick, "--concurrent"]);
  expect(second.exitCode).toBe(0);
  world.write("project/go", "");
  expect((await live.ended).exitCode).toBe(0);
});

test("atomic resume without an id says that a run is live here, and resumes no other one beside it", async () => {
  const { world, live } = await worldWithLive("ralph", "--yolo", "work");
  live.signal("SIGINT");
  await live.ended;
  const second = world.start(["ralph", "--yolo", "more", "--script", `${world.root}/s.json`]);
  const id = /session: (\S+)/.exec(await second.seen(/session: \S+/))?.[1] ?? "";

  const resumed = await world.run(["resume"]);
  expect(resumed.exitCode).toBe(2);
  expect(resumed.stderr).toContain(`right now: ${id}`);

  world.write("project/go", "");
  expect((await second.ended).exitCode).toBe(0);
  expect((await world.run(["resume"])).exitCode).toBe(0);
});

test("atomic resume without an id names the run that is running here when there is no other", async () => {
  const { world, live, id } = await worldWithLive("ralph", "--yolo", "work");

  const resumed = await world.run(["resume"]);
  expect(resumed.exitCode).toBe(1);
  expect(resumed.stderr).toContain(`${id} is running. Watch it with \`atomic logs -f ${id}\``);

  world.write("project/go", "");
  expect((await live.ended).exitCode).toBe(0);
  expect((await world.run(["resume"])).stderr).not.toContain("is running");
});

test("two ralphs on one task list are noticed, also from different folders", async () => {
  const { world, script, live, id } = await worldWithLive("ralph", "--feature-list", "tasks.json", ...words);
  const list = `${world.project}/tasks.json`;
  const second = await world.run(["ralph", "--feature-list", list, ...words, "--script", script], {
    cwd: `${world.root}/other`,
  });
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain(`works in ${world.project} on ${list} right now: ${id}`);
  world.write("project/go", "");
  expect((await live.ended).exitCode).toBe(0);
});

test("at a terminal the user is asked, and both run after a yes", async () => {
  const { world, live } = await worldWithLive("ralph", "--yolo", "work");
  const quick = world.script("quick", [{ steps: [{ say: "COMPLETE" }] }]);
  const no = world.atTerminal(["ralph", "--yolo", "more", "--script", quick]);
  await no.seen("Run both at the same time?");
  no.type("n");
  expect((await no.ended).exitCode).toBe(2);

  const yes = world.atTerminal(["ralph", "--yolo", "more", "--script", quick]);
  await yes.seen("Run both at the same time?");
  yes.type("y");
  expect((await yes.ended).exitCode).toBe(0);
  world.write("project/go", "");
  expect((await live.ended).exitCode).toBe(0);
});
