// `--write-back`: the list that tasks came from says how they ended, as they end, and keeps everything else.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, lstatSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, type Ended, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const list = `{
    "version": "1.0",
    "owner": {"team": [1,2]},
    "tasks": [
        {"id": "1", "name": "First", "status": "pending", "acceptanceCriteria": ["a"]},
        {"id": "2", "name": "Second", "x": null},
        {"id": "3", "name": "Third", "dependencies": ["2"]}
    ]
}
`;
const words = ["--max-reviews", "0", "--max-tries", "1", "--workers", "1", "--write-back"];
const worker = (...steps: readonly object[]) => ({ agent: "worker", steps: [...steps, { say: "ok" }] });

function run(world: CliWorld, turns: readonly object[], ...more: readonly string[]): Promise<Ended> {
  return world.run(["ralph", "--script", world.script("s", turns), "--json", ...words, ...more]);
}

test("--write-back puts the status of each task into the list when it ends; format and unknown keys stay", async () => {
  const world = createCliWorld();
  const file = world.write("project/research/tasks.json", list);
  chmodSync(file, 0o640);
  // The second task sees in the list that the first has passed, and fails itself.
  const turns = [
    { agent: "worker", task: "1", steps: [{ say: "ok" }] },
    worker(
      { bash: `grep -q '"id": "1".*"status": "passing"' research/tasks.json`, expect: 0 },
      { bash: "exit 5", expect: 0 },
    ),
  ];
  const first = await run(world, turns);
  expect(first.exitCode).toBe(1);
  const written = readFileSync(file, "utf8");
  const parsed = JSON.parse(written) as { tasks: { status?: string; error?: string }[] };
  expect(parsed.tasks.map(({ status }) => status)).toEqual(["passing", "failing", undefined]);
  expect(parsed.tasks[1]?.error).toContain("not done after 1 try");
  const expected = list
    .replace('"status": "pending"', '"status": "passing"')
    .replace('"x": null}', `"x": null, "status": "failing", "error": ${JSON.stringify(parsed.tasks[1]?.error)}}`);
  expect(written).toBe(expected);
  expect(statSync(file).mode & 0o777).toBe(0o640);

  // The next run needs no flag to know what is done.
  const second = await run(world, [worker()]);
  expect(second.stderr).toBe("");
  expect(second.exitCode).toBe(0);
  const turnsTaken = second.events().filter(({ type }) => type === "agent.turn-started");
  expect(turnsTaken.map(({ task }) => task)).toEqual(["2", "3"]);
  expect(readFileSync(file, "utf8")).toBe(
    list
      .replace('"status": "pending"', '"status": "passing"')
      .replace('"x": null}', '"x": null, "status": "passing"}')
      .replace('"dependencies": ["2"]}', '"dependencies": ["2"], "status": "passing"}'),
  );
});

test("--write-back keeps what the user changes in the list while the run works", async () => {
  const world = createCliWorld();
  const file = world.write("project/research/tasks.json", list);
  const script = world.script("s", [
    {
      agent: "worker",
      task: "2",
      steps: [{ bash: "touch ../begun; while [ ! -e ../go ]; do sleep 0.05; done" }, { say: "ok" }],
    },
    worker(),
  ]);
  const live = world.start(["ralph", "--script", script, "--json", ...words]);
  await poll(() =>
    Bun.file(join(world.root, "begun"))
      .exists()
      .then((isThere) => isThere || undefined),
  );
  const edited = readFileSync(file, "utf8")
    .replace('"name": "Second"', '"name": "Second, in better words", "estimate": 3')
    .replace('"owner"', '"note": "mine",\n    "owner"')
    .replace("    ]\n}", '        ,{"id": "4", "name": "Fourth"}\n    ]\n}');
  writeFileSync(`${file}.new`, edited);
  renameSync(`${file}.new`, file);
  world.write("go", "");
  const ended = await live.ended;

  expect(ended.exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(
    edited
      .replace('"x": null}', '"x": null, "status": "passing"}')
      .replace('"dependencies": ["2"]}', '"dependencies": ["2"], "status": "passing"}'),
  );
});

test("--write-back follows a link to the list, and leaves the link", async () => {
  const world = createCliWorld();
  const real = world.write("lists/mine.json", list);
  world.write("project/research/.keep", "");
  symlinkSync(real, join(world.project, "research/tasks.json"));
  expect((await run(world, [worker()])).exitCode).toBe(0);

  expect(lstatSync(join(world.project, "research/tasks.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, "utf8").match(/"passing"/g)).toHaveLength(3);
});

test("--write-back into a legacy list sets passes", async () => {
  const world = createCliWorld();
  const text = '[\n  { "category": "functional", "description": "A", "steps": ["x"], "passes": false }\n]\n';
  const file = world.write("project/research/feature-list.json", text);
  expect((await run(world, [worker()])).exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(text.replace("false", "true"));
});

test("a list that can't be updated does not fail the run, and the report says so", async () => {
  const world = createCliWorld();
  world.write("project/research/tasks.json", list);
  const turns = [worker({ bash: "echo '{ half' > research/tasks.json" })];
  const ended = await run(world, turns);
  const report = ended.events().find(({ type }) => type === "report.written")?.["report"] as { notes: string[] };

  expect(ended.exitCode).toBe(0);
  expect(report.notes).toContainEqual(expect.stringContaining("the task list was not updated: "));
  expect(ended.events().filter(({ type }) => type === "write-back.failed").length).toBeGreaterThan(0);
  expect(world.read("project/research/tasks.json")).toBe("{ half\n");
});

test("what a killed run did not write back, the resumed one does", async () => {
  const world = createCliWorld();
  const file = world.write("project/research/tasks.json", list);
  const script = world.script("s", [{ agent: "worker", task: "3", steps: [{ hang: true }] }, worker()]);
  const live = world.start(["ralph", "--script", script, "--json", ...words]);
  await live.seen(/"id":"3"[^\n]*"status":"in_progress"/);
  live.signal("SIGKILL");
  await live.ended;
  writeFileSync(file, list);

  const resumed = await world.run(["resume", world.onlyRun(), "--script", world.script("t", [worker()]), "--json"]);
  expect(resumed.exitCode).toBe(0);
  expect(readFileSync(file, "utf8").match(/"passing"/g)).toHaveLength(3);
});

test("--write-back without a task list is wrong usage", async () => {
  const world = createCliWorld();
  const ended = await run(world, [worker()], "Do it");

  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain("--write-back is for task lists");
});
