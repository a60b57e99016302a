// A task list that an earlier run worked on: a new run says so, and does paid work again only on request.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { type CliWorld, createCliWorld, type Ended, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const tasks = [
  { id: "1", title: "First" },
  { id: "2", title: "Second" },
  { id: "3", title: "Third" },
];

/** The third task fails as long as there is no file `go`; each worker leaves its task's id in `worked.txt`. */
function listWorld(): CliWorld {
  const world = createCliWorld();
  world.write("project/research/tasks.json", { version: "1.0", tasks });
  return world;
}

const scriptOf = (world: CliWorld): string =>
  world.script(
    "s",
    tasks.map(({ id }) => ({
      agent: "worker",
      task: id,
      steps: [
        { bash: `echo ${id} >> worked.txt` },
        ...(id === "3" ? [{ bash: "test -e go", expect: 0 }] : []),
        { say: "ok" },
      ],
    })),
  );
const words = ["--max-reviews", "0", "--max-tries", "1", "--workers", "1"];
const ralph = (world: CliWorld, ...more: readonly string[]): Promise<Ended> =>
  world.run(["ralph", "--script", scriptOf(world), "--json", ...words, ...more]);
const worked = (world: CliWorld): string => world.read("project/worked.txt").replaceAll("\n", " ").trim();

test("a second run of a list says what an earlier one completed and starts nothing; --remaining and --redo decide", async () => {
  const world = listWorld();
  expect((await ralph(world)).exitCode).toBe(1);
  const id = world.onlyRun();
  expect(worked(world)).toBe("1 2 3");

  const again = await ralph(world);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain(
    `An earlier run completed 2 of 3 tasks of ${world.project}/research/tasks.json: ${id} (failed). Nothing was started.`,
  );
  expect(again.stderr).toContain(
    `Resume that run with \`atomic resume ${id}\`, or start a new one for the 1 task left with --remaining, or do all of it again with --redo.`,
  );
  expect(again.stdout).toBe("");
  expect(world.onlyRun()).toBe(id);

  world.write("project/go", "");
  const left = await ralph(world, "--remaining");
  expect(left.exitCode).toBe(0);
  expect(left.stderr).toContain("This run takes the 1 task that is left.");
  expect(worked(world)).toBe("1 2 3 3");

  const all = await ralph(world);
  expect(all.exitCode).toBe(2);
  expect(all.stderr).toContain("An earlier run completed all 3 tasks");
  expect(all.stderr).toContain("Nothing was started. Do all of it again with --redo.");

  const redone = await ralph(world, "--redo");
  expect(redone.exitCode).toBe(0);
  expect(worked(world)).toBe("1 2 3 3 1 2 3");
});

test("tasks that the list calls done are not counted as left, and --redo runs them again", async () => {
  const world = createCliWorld();
  const marked = [{ id: "1", title: "First", status: "passing" }, ...tasks.slice(1)];
  world.write("project/research/tasks.json", { version: "1.0", tasks: marked });
  expect((await ralph(world)).exitCode).toBe(1);
  expect(worked(world)).toBe("2 3");
  const again = await ralph(world);
  expect(again.stderr).toContain("start a new one for the 1 task left with --remaining");

  world.write("project/go", "");
  world.write("project/research/tasks.json", {
    version: "1.0",
    tasks: tasks.map((task) => ({ ...task, status: "passing" })),
  });
  const nothing = await ralph(world);
  expect(nothing.exitCode).toBe(0);
  expect(nothing.stderr).toContain("are already marked as completed, so none is run. Add --redo to run them again.");
  expect(worked(world)).toBe("2 3");

  const redone = await ralph(world, "--redo");
  expect(redone.exitCode).toBe(0);
  expect(redone.stderr).not.toContain("marked as completed");
  expect(worked(world)).toBe("2 3 1 2 3");
});

test("a run that was interrupted is offered to be resumed", async () => {
  const world = listWorld();
  const script = world.script("slow", [
    { agent: "worker", task: "1", steps: [{ say: "ok" }] },
    { agent: "worker", steps: [{ hang: true }] },
  ]);
  const live = world.start(["ralph", "--script", script, "--json", ...words]);
  await live.seen(/"id":"2"[^\n]*"status":"in_progress"/);
  live.signal("SIGINT");
  await live.ended;
  const id = world.onlyRun();

  const again = await ralph(world);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain(
    `An earlier run completed 1 of 3 tasks of ${world.project}/research/tasks.json: ${id} (paused)`,
  );
  expect(again.stderr).toContain(
    `Resume that run with \`atomic resume ${id}\`, or start a new one for the 2 tasks left`,
  );
});

test("at a terminal the user chooses", async () => {
  const world = listWorld();
  expect((await ralph(world)).exitCode).toBe(1);
  world.write("project/go", "");
  const inTerminal = (answer: string) => {
    const line = [world.program, "ralph", "--script", scriptOf(world), ...words].map((word) => `'${word}'`).join(" ");
    const child = Bun.spawn(["script", "-qec", line, "/dev/null"], {
      cwd: world.project,
      env: world.env,
      stdin: "pipe",
      stdout: "pipe",
    });
    return answered(child, answer);
  };
  const nothing = await inTerminal("");
  expect(nothing.text).toContain("1  Resume that run");
  expect(nothing.text).toContain("2  Start a new run for the 1 task left");
  expect(nothing.text).toContain("3  Start a new run that does all of it again");
  expect(nothing.text).toContain("Nothing was started.");
  expect(nothing.exitCode).toBe(2);
  expect(readdirSync(world.sessions).filter((name) => !name.startsWith("."))).toHaveLength(1);

  const left = await inTerminal("2");
  expect(left.exitCode).toBe(0);
  expect(worked(world)).toBe("1 2 3 3");
});

test("another list, a list that was rewritten under the same ids, and another folder are not mistaken for it", async () => {
  const world = listWorld();
  world.write("project/go", "");
  expect((await ralph(world)).exitCode).toBe(0);

  const other = world.write("project/other.json", { tasks });
  expect((await ralph(world, "--feature-list", other)).exitCode).toBe(0);
  world.write("project/research/tasks.json", { tasks: tasks.map(({ id }) => ({ id, title: `New ${id}` })) });
  expect((await ralph(world)).exitCode).toBe(0);
});

test("--remaining and --redo together, or without a task list, are wrong usage", async () => {
  const world = listWorld();
  const both = await ralph(world, "--remaining", "--redo");
  const none = await ralph(world, "Do it", "--remaining");

  expect([both.exitCode, none.exitCode]).toEqual([2, 2]);
  expect(both.stderr).toContain("contradict each other");
  expect(none.stderr).toContain("--remaining is for task lists");
});

test("a workflow of an author's own says where its tasks come from in the same way", async () => {
  const world = createCliWorld();
  world.write("project/todo.json", "[]");
  world.workflow(
    "todo",
    `import { resolve } from "node:path";
import { graph, toolNode, type BaseState, type StartParams, type StartPlan, type WorkflowStateParams } from "atomic/workflows";
export const name = "todo";
export const prompt = "none";
export const options = { redo: { type: "boolean", description: "again" } };
const tasks = [{ id: "a", title: "A", status: "pending" as const }];
export const beforeStart = ({ cwd, options }: StartParams): StartPlan => ({
  tasks: { file: resolve(cwd, "todo.json"), tasks, earlierWork: options["redo"] === true ? "redo" : "ask" },
});
interface State extends BaseState { tasks: { id: string; title: string; status: string }[] }
export const createState = ({ sessionId }: WorkflowStateParams): State => ({ executionId: sessionId, outputs: {}, tasks });
export default () =>
  graph<State>()
    .start(toolNode({ id: "do", execute: () => 1, outputMapper: () => ({ tasks: [{ ...tasks[0]!, status: "completed" }] }) }))
    .compile();
`,
  );
  const run = (...more: readonly string[]) =>
    world.run(["run", "todo", "--script", world.script("n", []), "--json", ...more]);
  const first = await run();
  expect(first.stderr).toBe("");
  expect(first.exitCode).toBe(0);
  const second = await run();
  expect(second.stderr).toContain("An earlier run completed the only task of");
  expect(second.exitCode).toBe(2);
  expect((await run("--redo")).exitCode).toBe(0);
});

async function answered(
  child: Bun.Subprocess<"pipe", "pipe", "inherit">,
  answer: string,
): Promise<{ readonly text: string; readonly exitCode: number }> {
  let text = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) text += decoder.decode(bytes, { stream: true });
  })();
  await poll(() => text.includes("Which one?") || undefined);
  void child.stdin.write(`${answer}\n`);
  void child.stdin.flush();
  const exitCode = await child.exited;
  await read;
  return { text, exitCode };
}
