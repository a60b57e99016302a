// Plans that can't be used, and task lists that can't, through the real program: each is refused with what is wrong with
// it, where, and what to do; and nothing that stands in a plan drives a shell or a terminal.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const task = (id: string, more: object = {}) => ({ id, title: `Task ${id}`, ...more });
const planOf = (...tasks: object[]) => JSON.stringify({ tasks });

async function runPlan(world: CliWorld, plan: string, ...more: string[]) {
  const script = world.script("plan", [
    { agent: "planner", steps: [{ say: plan }] },
    { agent: "worker", steps: [{ say: "done" }] },
  ]);
  return world.run(["ralph", "Do it", "--script", script, "--max-reviews", "0", "--json", ...more]);
}

const unusable: readonly (readonly [string, string, RegExp])[] = [
  ["is not JSON", "I would start with the parser.", /there is no JSON object in the answer/],
  ["is cut off", planOf(task("1"), task("2")).slice(0, -9), /the JSON in the answer can't be read/],
  ["is empty", planOf(), /the plan has no tasks/],
  ["is another JSON", '{"steps":["a"]}', /tasks: must be a list of tasks/],
  ["has a task without a title", '{"tasks":[{"id":"1"}]}', /tasks\[0\]\.name: is missing/],
  ["uses an id twice", planOf(task("1"), task("1")), /tasks\[1\]\.id: "1" is already the id of tasks\[0\]/],
  [
    "has a circle",
    planOf(task("1", { blockedBy: ["3"] }), task("2", { blockedBy: ["1"] }), task("3", { blockedBy: ["#2"] })),
    /tasks wait for each other: 1 -> 3 -> 2 -> 1/,
  ],
  ["depends on itself", planOf(task("1", { blockedBy: ["1"] })), /tasks wait for each other: 1 -> 1/],
  ["depends on nothing that is there", planOf(task("1", { blockedBy: ["9"] })), /there is no task with the id "9"/],
  [
    "is nested without end",
    `{"tasks":[{"id":"1","title":"x","steps":${"[".repeat(50_000)}${"]".repeat(50_000)}}]}`,
    /nested deeper than 100 levels/,
  ],
  [
    "has a NUL byte in a command",
    planOf(task("1", { verify: "true\0" })),
    /tasks\[0\]\.verify: must be one shell command/,
  ],
  [
    "has a command no shell takes",
    planOf(task("1", { verify: `: ${"x".repeat(200_000)}` })),
    /at most 32000 characters/,
  ],
  ["reaches for a prototype", '{"tasks":[{"id":"1","title":"x","__proto__":{}}]}', /could reach a prototype/],
];

for (const [name, plan, problem] of unusable) {
  test(`a plan that ${name} is asked for again three times, and then named`, async () => {
    const world = createCliWorld();
    const run = await runPlan(world, plan);
    const events = run.events();

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toMatch(problem);
    expect(run.stderr).toContain("no usable plan in 3 tries");
    expect(run.stderr).toContain("--feature-list");
    expect(events.filter(({ type }) => type === "agent.turn-started")).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ type: "run.finished", outcome: "failed" });
  });
}

test("a planner that says nothing is asked again three times, and then named", async () => {
  const run = await runPlan(createCliWorld(), "");

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain('The agent "planner" ended its turn without saying or doing anything');
  expect(run.events().filter(({ type }) => type === "agent.turn-started")).toHaveLength(3);
});

const usable: readonly (readonly [string, string])[] = [
  ["in a fence", `Here it is:\n\n\`\`\`json\n${planOf(task("1"))}\n\`\`\`\nGood luck {with} it.`],
  ["with text around it", `Braces {like these}, or {}: ${planOf(task("1"))}. And {that} is all.`],
  ["after an example", `Like\n\`\`\`json\n{"id":"x"}\n\`\`\`\nMine:\n\`\`\`json\n${planOf(task("1"))}\n\`\`\``],
  ["as a bare list", JSON.stringify([task("1")])],
];

for (const [name, plan] of usable) {
  test(`a plan ${name} is read`, async () => {
    const run = await runPlan(createCliWorld(), plan);

    expect(run.stderr).toBe("");
    expect(run.exitCode).toBe(0);
  });
}

test("a plan whose command has a NUL byte is asked for again, with what is wrong, and the next one is used", async () => {
  const world = createCliWorld();
  const script = world.script("plan", [
    { agent: "planner", times: 1, steps: [{ say: planOf(task("1", { verify: "true\0" })) }] },
    {
      agent: "planner",
      match: "verify: must be one shell command",
      steps: [{ say: planOf(task("1", { verify: "true" })) }],
    },
    { agent: "worker", steps: [{ say: "done" }] },
  ]);
  const run = await world.run(["ralph", "Do it", "--script", script, "--max-reviews", "0", "--json"]);

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
});

test("a plan of 100 MB is refused, and leaves no such record", async () => {
  const world = createCliWorld();
  const script = world.write(
    "huge.ts",
    `const say = '{"tasks":[{"id":"1","title":"' + "x".repeat(100 * 1024 * 1024) + '"}]}';
export default { version: 1, turns: [{ agent: "planner", steps: [{ say }] }] };
`,
  );
  const run = await world.run(["ralph", "Do it", "--script", script]);

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toMatch(/the answer is 10\d{7} characters long, more than can be a plan/);
  expect(statSync(join(world.sessions, world.onlyRun(), "journal.sqlite")).size).toBeLessThan(1_000_000);
});

test("what a plan says drives no terminal as JSON or from the files of its session, and comes out of them as it was", async () => {
  const world = createCliWorld();
  const title = "\u001b[2J \u009b31m \u202e \u2028 end";
  const run = await runPlan(world, planOf({ id: "1 \u009b31m", title }));
  const show = await world.run(["sessions", "show", world.onlyRun(), "--json"]);
  const logs = await world.run(["sessions", "logs", world.onlyRun(), "--json"]);

  expect(run.exitCode).toBe(0);
  expect(run.events().find(({ type }) => type === "task.updated")).toMatchObject({ task: { title } });
  const files = ["session.json", "tasks.json", "progress.txt", "logs/agent-calls.jsonl"];
  const written = files.map((file) => readFileSync(join(world.sessions, world.onlyRun(), file), "utf8"));
  expect(JSON.parse(written[1] ?? "")).toMatchObject({ tasks: [{ name: title }] });
  for (const text of [run.stdout, show.stdout, logs.stdout, ...written]) {
    expect(text).toContain("31m");
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028-\u202e]/u);
  }
});

test("titles with shell syntax, control characters and line breaks are only text, everywhere", async () => {
  const world = createCliWorld();
  const title = `$(touch pwned) \`touch pwned\`; touch pwned\n\u001b]0;owned\u0007\u001b[2J‮ "quoted" 'x'`;
  const id = "a/b #$(touch pwned)";
  const plan = planOf({ id, title, description: title }, { id: "2", title: "After", blockedBy: [id] });
  const script = world.script("plan", [
    { agent: "planner", steps: [{ say: plan }] },
    { agent: "worker", steps: [{ say: title }] },
  ]);
  const run = await world.run(["ralph", "Do it", "--script", script, "--max-reviews", "0"]);
  const session = join(world.sessions, world.onlyRun());
  const page = await world.run(["sessions", "show", world.onlyRun()]);

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("2 of 2 tasks");
  for (const text of [
    run.stdout,
    run.stderr,
    page.stdout,
    world.read(`${session.slice(world.root.length + 1)}/progress.txt`),
  ])
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  expect(readdirSync(world.project)).toEqual([]);
  const tasks = JSON.parse(world.read(`${session.slice(world.root.length + 1)}/tasks.json`)) as {
    tasks: { id: string; name: string; status: string }[];
  };
  expect(tasks.tasks[0]).toMatchObject({ id, name: title, status: "passing" });
});

const lists: readonly (readonly [string, string, RegExp])[] = [
  ["is not JSON", "tasks: []", /list\.json: is not JSON/],
  ["is cut off", planOf(task("1")).slice(0, -4), /list\.json: is not JSON/],
  ["is empty", planOf(), /list\.json is empty\. Add tasks to it/],
  ["has a circle", planOf(task("1", { blockedBy: ["2"] }), task("2", { blockedBy: ["1"] })), /1 -> 2 -> 1/],
  ["is of a later version", '{"version":"2.0","tasks":[]}', /version: must be "1\.0"/],
  ["is larger than 16 MB", `{"tasks":[{"id":"1","title":"${"x".repeat(17 * 1024 * 1024)}"}]}`, /is larger than 16 MB/],
];

for (const [name, content, problem] of lists) {
  test(`a task list that ${name} is refused before a run is made`, async () => {
    const world = createCliWorld();
    const list = world.write("project/list.json", content);
    const script = world.script("s", [{ steps: [{ say: "done" }] }]);
    const run = await world.run(["ralph", "--feature-list", list, "--script", script]);

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toMatch(problem);
    expect(existsSync(world.sessions) ? readdirSync(world.sessions) : []).toEqual([]);
  });
}

test("a task list that is a pipe is refused, not waited for", async () => {
  const world = createCliWorld();
  const pipe = join(world.project, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const script = world.script("s", [{ steps: [{ say: "done" }] }]);
  const run = await world.run(["ralph", "--feature-list", "pipe", "--script", script]);

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain(`${pipe} can't be used as a task list, one fault`);
});

test("without a task list nothing is made, and the error says how to make one", async () => {
  const world = createCliWorld();
  const script = world.script("s", [{ steps: [{ say: "done" }] }]);
  for (const words of [[], ["--feature-list", "nowhere.json"]]) {
    const run = await world.run(["ralph", "--script", script, ...words]);

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toMatch(words.length === 0 ? /create-feature-list/ : /no task list at nowhere\.json/);
    expect(existsSync(world.sessions) ? readdirSync(world.sessions) : []).toEqual([]);
  }
});

test("the tasks of research/tasks.json come before those of research/feature-list.json, which is kept in the session", async () => {
  const world = createCliWorld();
  const script = world.script("s", [{ agent: "worker", steps: [{ say: "done" }] }]);
  const features = { features: [{ id: "f", name: "Feature", description: "…", status: "failing" }] };
  world.write("project/research/feature-list.json", features);
  const first = await world.run(["ralph", "--script", script, "--max-reviews", "0"]);

  expect(first.exitCode).toBe(0);
  expect(first.stderr).toContain("✓ f  Feature");
  const session = `home/.atomic/workflows/sessions/${world.onlyRun()}`;
  expect(JSON.parse(world.read(`${session}/feature-list.json`))).toEqual(features);
  world.write("project/research/tasks.json", planOf(task("t")));
  const second = await world.run(["ralph", "--script", script, "--max-reviews", "0"]);
  expect(second.stderr).toContain("✓ t  Task t");
  expect(second.stderr).not.toContain("Feature");
});

test("a prompt that is a sentence, a spec, or too long to be a path is taken as what it is", async () => {
  const world = createCliWorld();
  world.write("project/spec.md", "SPEC: build the parser");
  const script = world.script("s", [
    { agent: "planner", match: "SPEC: build", steps: [{ say: planOf(task("spec")) }] },
    { agent: "planner", steps: [{ say: planOf(task("words")) }] },
    { agent: "worker", steps: [{ say: "done" }] },
  ]);
  const spec = await world.run(["ralph", "spec.md", "--script", script, "--max-reviews", "0"]);
  const long = await world.run(["ralph", "Make it good. ".repeat(40), "--script", script, "--max-reviews", "0"]);
  const folder = await world.run(["ralph", "/", "--script", script, "--max-reviews", "0"]);

  expect(spec.stderr).toContain("✓ spec");
  expect(long.exitCode).toBe(0);
  expect(long.stderr).toContain("✓ words");
  expect(folder.stderr).toContain("✓ words");
});
