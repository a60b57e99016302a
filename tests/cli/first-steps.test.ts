// What a newcomer reads: lines in the right order, names that can be typed, counts with the right plural.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("a resumed run says that it was resumed before it says what it is at", async () => {
  const world = createCliWorld();
  world.write("project/tasks.json", { version: "1.0", tasks: [{ id: "1", title: "First" }] });
  const script = world.script("s", [
    { steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "ok" }] },
    { steps: [{ say: "ok" }] },
  ]);
  const live = world.start(["ralph", "--feature-list", "tasks.json", "--max-reviews", "0", "--script", script]);
  await live.seen("Working on the tasks");
  live.signal("SIGINT");
  await live.ended;
  world.write("project/go", "");
  const resumed = await world.run(["resume"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stderr).toMatch(/^Resumed Ralph session: .*\n.*\n▸ Working on the tasks\n/);
});

test("workflows new says what to type next, by the name that the workflow got", async () => {
  const world = createCliWorld();
  const made = await world.run(["workflows", "new", "Hello World"]);
  const [, name = ""] = /Try: atomic workflows graph (\S+)\n$/.exec(made.stdout) ?? [];
  expect(made.stdout).toContain(`${name}.ts`);
  expect((await world.run(["workflows", "graph", name])).exitCode).toBe(0);
  const alone = await world.run(["workflows", "new", "say-it", "--form", "prompt"]);
  expect(alone.stdout).toEndWith("Try: atomic run say-it\n");
});

test("workflows validate does not call an unknown workflow built in", async () => {
  const { stdout, exitCode } = await createCliWorld().run(["workflows", "validate", "nosuch"]);
  expect(exitCode).toBe(1);
  expect(stdout).toStartWith("invalid  nosuch: WORKFLOW_NOT_FOUND\n");
  expect(stdout).not.toContain("built in");
});

test("one of something is not many", async () => {
  const world = createCliWorld();
  const doctor = await world.run(["doctor"]);
  expect(doctor.stdout).toContain(" 1 workflow, ");
  await world.run(["init"]);
  const hello = await world.run(["run", "hello", "A", "-a", "claude"]);
  expect(hello.stdout).toContain("Your name has 1 letter.");
});

test("config set agent refuses an agent that plays a file", async () => {
  const world = createCliWorld();
  const refused = await world.run(["config", "set", "agent", "scripted"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("-a scripted --script FILE");
  expect((await world.run(["config", "get", "agent"])).stdout).toBe("claude\n");
  expect((await world.run(["config", "set", "agent", "claude, replay"])).exitCode).toBe(1);
});

test("a task whose acceptance criteria changed is a new task", async () => {
  const world = createCliWorld();
  const script = world.script("s", [{ steps: [{ bash: "echo x >> worked.txt" }, { say: "ok" }] }]);
  const list = (criteria: string): void => {
    const tasks = [{ id: "1", title: "First", acceptanceCriteria: [criteria] }];
    world.write("project/tasks.json", { version: "1.0", tasks });
  };
  const ralph = ["ralph", "--feature-list", "tasks.json", "--max-reviews", "0", "--script", script];
  list("it is green");
  expect((await world.run(ralph)).exitCode).toBe(0);
  expect((await world.run(ralph)).stderr).toContain("TASKS_DONE_EARLIER");
  list("it is blue");
  expect((await world.run(ralph)).exitCode).toBe(0);
  expect(world.read("project/worked.txt")).toBe("x\nx\n");
});

test("atomic help COMMAND prints what COMMAND --help does, also of subcommands and workflows", async () => {
  const world = createCliWorld();
  for (const words of [["pause"], ["sessions"], ["sessions", "show"], ["ralph"], ["run", "ralph"], []]) {
    const asked = await world.run(["help", ...words]);
    expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(asked.stdout).toBe((await world.run([...words, "--help"])).stdout);
  }
  expect((await world.run(["help", "help"])).stdout).toBe((await world.run(["--help"])).stdout);

  const wrong = await world.run(["help", "sesions"]);
  expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
  expect(wrong.stderr).toBe(
    'atomic: USAGE: Unknown command `atomic sesions` (did you mean "sessions"?). See `atomic --help`.\n',
  );
  expect((await world.run(["help", "sessions", "shw"])).stderr).toContain(
    '`atomic sessions shw` (did you mean "show"?)',
  );
  expect((await world.run(["help", "pause", "it"])).exitCode).toBe(2);
});
