// Commands that a project's task list brings along. They are code: nothing runs before the user has seen exactly these
// commands and said yes, or has said --trust.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, type CliWorld } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

interface TaskWorld extends CliWorld {
  readonly canary: string;
  /** Writes the list with these commands, and gives its path. */
  list(commands: readonly string[], more?: object): string;
  words(...more: string[]): string[];
}

function makeWorld(): TaskWorld {
  const world = createCliWorld();
  const canary = join(world.root, "canary");
  const script = world.script("work", [{ agent: "worker", steps: [{ say: "Done." }] }]);
  return {
    ...world,
    canary,
    list: (commands, more = {}) =>
      world.write("project/research/tasks.json", {
        version: "1.0",
        tasks: commands.map((verify, i) => ({ id: i + 1, title: `Task ${i}`, description: "x", verify, ...more })),
      }),
    // The same list again and again.
    words: (...more) => ["ralph", "-a", "scripted", "--script", script, "--max-reviews", "0", "--redo", ...more],
  };
}

test("a task list's commands do not run without consent, and nothing is started", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary}`]);
  for (const more of [[], ["--json"], ["--feature-list", "research/tasks.json"], ["--no-questions"]]) {
    const run = await world.run(world.words(...more));
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("NOT_TRUSTED");
    expect(run.stderr).toContain(`atomic trust ${join(world.project, "research/tasks.json")}`);
    expect(run.stderr).toContain("--trust");
  }
  expect(existsSync(world.canary)).toBe(false);
  expect(readdirSync(world.sessions).filter((name) => !name.startsWith("."))).toEqual([]);
});

test("every form of the list is asked about", async () => {
  const world = makeWorld();
  const verify = `touch ${world.canary}`;
  const task = { id: "1", name: "A", title: "A", description: "x", status: "pending", passes: false, verify };
  const lists = {
    "features.json": { version: "1.0", features: [task] },
    "legacy.json": [{ category: "functional", steps: [], ...task }],
    "tasks.json": {
      version: "1.0",
      tasks: [task, { id: "2", title: "B", status: "completed", description: "", verify }],
    },
  };
  for (const [name, content] of Object.entries(lists)) {
    const file = world.write(`elsewhere/${name}`, content);
    const run = await world.run(world.words("--feature-list", file));
    // A form that has no commands has nothing to ask about, and runs none.
    if (run.exitCode !== 0) expect([name, run.stderr]).toEqual([name, expect.stringContaining("NOT_TRUSTED")]);
    expect([name, existsSync(world.canary)]).toEqual([name, false]);
  }
});

test("--trust runs the commands of this run only", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary}`]);
  expect((await world.run(world.words("--trust"))).exitCode).toBe(0);
  expect(existsSync(world.canary)).toBe(true);
  expect((await world.run(world.words())).stderr).toContain("NOT_TRUSTED");
});

test("trust shows the commands and counts for exactly these, in this file", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary}`, "true"]);
  const asked = await world.run(["trust", "research/tasks.json"]);
  expect(asked.exitCode).toBe(1);
  expect(asked.stdout).toContain(`touch ${world.canary}`);
  expect((await world.run(["trust"])).stdout).toContain("commands of research/tasks.json");

  const given = await world.run(["trust", "research/tasks.json", "--yes"]);
  expect([given.exitCode, given.stdout.includes(`touch ${world.canary}`)]).toEqual([0, true]);
  expect((await world.run(world.words())).exitCode).toBe(0);
  expect(existsSync(world.canary)).toBe(true);

  // The rest of the file is not code.
  world.list(["true", `touch ${world.canary}`], { status: "pending", description: "other words" });
  expect((await world.run(world.words())).exitCode).toBe(0);

  // Another command is.
  world.list([`touch ${world.canary}`, "true", "echo more"]);
  expect((await world.run(world.words())).stderr).toContain("NOT_TRUSTED");
  const changed = await world.run(["trust", "research/tasks.json"]);
  expect(changed.stdout).toContain("changed since it was trusted");
  expect(changed.stdout).toContain("echo more");

  // The same commands in another file are another file's.
  world.list([`touch ${world.canary}`, "true"]);
  renameSync(join(world.project, "research/tasks.json"), join(world.project, "other.json"));
  expect((await world.run(world.words("--feature-list", "other.json"))).stderr).toContain("NOT_TRUSTED");
  symlinkSync(join(world.project, "other.json"), join(world.project, "research/tasks.json"));
  expect((await world.run(world.words())).stderr).toContain("NOT_TRUSTED");

  expect((await world.run(["trust", "--forget"])).stdout).toContain("commands");
});

test("at a terminal the commands are shown and asked about, and the run starts at once", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary}`]);
  const refused = world.atTerminal(world.words());
  await refused.seen("Show it now, and decide?");
  refused.type("n");
  expect((await refused.ended).exitCode).toBe(1);
  expect(existsSync(world.canary)).toBe(false);

  const accepted = world.atTerminal(world.words());
  await accepted.seen("Show it now, and decide?");
  accepted.type("y");
  await accepted.seen(`touch ${world.canary}`);
  await accepted.seen("Trust the commands of research/tasks.json");
  accepted.type("y");
  expect((await accepted.ended).exitCode).toBe(0);
  expect(existsSync(world.canary)).toBe(true);

  rmSync(world.canary);
  expect((await world.run(world.words())).exitCode).toBe(0);
  expect(existsSync(world.canary)).toBe(true);
});

test("a command that would draw over the question is shown as it is", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary} #\u001b[2K\r true`]);
  const asked = await world.run(["trust", "research/tasks.json"]);
  expect(asked.stdout).toContain(`touch ${world.canary}`);
  expect(asked.stdout).not.toContain("\u001b");
  expect(asked.stdout).not.toContain("\r");
});

test("a list without commands, and a list of the user's own, need no consent", async () => {
  const world = makeWorld();
  world.write("project/research/tasks.json", { version: "1.0", tasks: [{ id: 1, title: "A", description: "x" }] });
  expect((await world.run(world.words())).exitCode).toBe(0);
  expect((await world.run(["trust", "research/tasks.json"])).stderr).toContain("nothing to trust");

  const tasks = [{ id: 1, title: "A", description: "x", verify: `touch ${world.canary}` }];
  const own = world.write("home/.atomic/lists/mine.json", { version: "1.0", tasks });
  expect((await world.run(world.words("--feature-list", own))).exitCode).toBe(0);
  expect(existsSync(world.canary)).toBe(true);
});

test("a project can't give itself the trust", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary}`]);
  mkdirSync(join(world.project, ".atomic"), { recursive: true });
  world.write("project/.atomic/settings.json", { trust: true, sessions: { dir: ".runs" } });
  world.write("project/.atomic/trust.json", { version: 1, entries: {} });
  expect((await world.run(world.words())).exitCode).not.toBe(0);
  expect(existsSync(world.canary)).toBe(false);
});

test("a workflow that uses ralph inside itself does not run a list's commands without consent either", async () => {
  const world = makeWorld();
  world.list([`touch ${world.canary}`]);
  world.workflow(
    "around",
    `import { graph, subgraphNode } from "atomic/workflows";
export const name = "around";
export const description = "x";
export const prompt = "none";
export default () => graph().start(subgraphNode({ id: "inner", subgraph: "ralph", options: { "max-reviews": 0 } }));
`,
  );
  const words = ["run", "around", ...world.words().slice(1, 5)];
  const refused = await world.run(words);
  expect(refused.stderr).toContain("have not trusted");
  expect(refused.exitCode).toBe(1);
  expect(existsSync(world.canary)).toBe(false);
  expect((await world.run([...words, "--trust"])).exitCode).toBe(0);
  expect(existsSync(world.canary)).toBe(true);
});
