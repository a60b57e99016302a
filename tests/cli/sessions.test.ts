// Looking at runs from outside: list, show, logs, path, rm; and output that is not read to its end.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "plan",
  `import { annotation, createNode, graph, Reducers } from "atomic/workflows";
export const name = "plan";
export const description = "Two tasks";
export const prompt = "optional";
const work = createNode({ id: "work", execute: async (ctx) => {
  const task = (id, status) => ctx.record({ type: "task.updated", task: { id, title: "Task " + id, status } });
  task("1", "pending"); task("2", "pending");
  for (const id of ["1", "2"]) {
    task(id, "in_progress");
    const result = await ctx.runtime.agents.spawn({ task: id, taskId: id, context: ctx }, ctx.signal);
    if (!result.success) throw new Error(result.error);
    task(id, "completed");
  }
  return {};
} });
export const nodeDescriptions = { work: "Working on it" };
export default () => graph().start(work);
`,
);
const quick = world.script("quick", [
  { steps: [{ say: "ok" }, { usage: { inputTokens: 5, outputTokens: 5, costUsd: 0.001 } }] },
]);
const hanging = world.script("hanging", [
  { task: "1", steps: [{ say: "ok" }, { usage: { inputTokens: 5, outputTokens: 5, costUsd: 0.001 } }] },
  { task: "2", steps: [{ say: "…" }, { hang: true }] },
]);

test("the text output shows phase, tasks done of total, cost and time", async () => {
  const run = await world.run(["run", "plan", "--script", quick]);

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toMatch(/^Started Plan session: [0-9a-f-]{36}\n/);
  expect(run.stderr).toContain("▸ Working on it\n");
  expect(run.stderr).toContain("→ 1  Task 1\n");
  expect(run.stderr).toMatch(/✓ 1 {2}Task 1 {2}\(1 of 2 tasks, \$0\.0010, \d+s\)\n/);
  expect(run.stderr).toMatch(/Completed: 2 of 2 tasks, \$0\.0020, \d+s/);
});

test("sessions show prints tasks, phase, cost, elapsed, what it waits for and the last events of a live run", async () => {
  const run = world.start(["run", "plan", "prompt text", "--script", hanging]);
  await run.seen("→ 2  Task 2");
  const page = await world.run(["sessions", "show"]);
  run.signal("SIGINT");
  await run.ended;

  expect(page.exitCode).toBe(0);
  for (const text of [
    "Status:  running",
    "Phase:   Working on it",
    "Prompt:  prompt text",
    "$0.0010, 10 tokens in 1 turn,",
    "Tasks: 1 of 2 done",
    "✓ 1  Task 1",
    "→ 2  Task 2",
    "agent.turn-started",
  ])
    expect(page.stdout).toContain(text);
  const after = await world.run(["sessions", "show"]);
  expect(after.stdout).toContain("Status:  paused (interrupted)");
  expect(after.stdout).toContain("Resume with: atomic resume");
  const facts = JSON.parse((await world.run(["sessions", "show", "--json"])).stdout) as Record<string, unknown>;
  expect(facts).toMatchObject({
    status: "paused",
    workflow: "plan",
    totals: { turns: 2 },
    tasks: [{ id: "1", status: "completed" }, { id: "2" }],
  });
});

test("sessions list shows the newest first, and --json the same for programs", async () => {
  const listed = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout) as {
    status: string;
    updatedAt: number;
  }[];
  const table = await world.run(["sessions"]);

  expect(listed.map(({ status }) => status)).toEqual(["paused", "completed"]);
  expect(table.stdout).toContain("paused (interrupted)  plan      1/2");
});

test("sessions logs prints the events; -f follows until the run ends", async () => {
  const script = world.script("go", [
    { task: "1", steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }] },
    { steps: [{ say: "ok" }] },
  ]);
  const run = world.start(["run", "plan", "--script", script]);
  await run.seen("→ 1  Task 1");
  const logs = world.start(["sessions", "logs", "-f"]);
  await logs.seen("agent.turn-started");
  world.write("project/go", "");
  const [ended, followed] = await Promise.all([run.ended, logs.ended]);
  const id = /session: (\S+)/.exec(ended.stderr)?.[1] ?? "";

  expect(followed.exitCode).toBe(0);
  expect(followed.stdout.trim().split("\n").at(-1)).toContain("run.finished  outcome=completed");
  const stored = (await world.run(["sessions", "logs", id, "--json"])).events();
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
  expect(stored.at(-1)).toMatchObject({ runId: id, type: "run.finished" });
});

test("sessions logs -f ends when the run's process is killed", async () => {
  const run = world.start(["run", "plan", "--script", hanging]);
  await run.seen("→ 2  Task 2");
  const logs = world.start(["sessions", "logs", "-f"]);
  await logs.seen("agent.turn-started");
  run.signal("SIGKILL");
  await run.ended;

  expect((await logs.ended).exitCode).toBe(0);
});

test("sessions path and rm name and remove the folder", async () => {
  const [{ id, sessionDir }] = JSON.parse((await world.run(["sessions", "--json"])).stdout) as [
    { id: string; sessionDir: string },
  ];
  const path = await world.run(["sessions", "path", id]);

  expect(path.stdout).toBe(`${sessionDir}\n`);
  const removed = await world.run(["sessions", "rm", id]);
  expect(removed).toMatchObject({ exitCode: 0, stdout: `Removed ${id}\n` });
  expect(existsSync(sessionDir)).toBe(false);
  const gone = await world.run(["sessions", "show", id]);
  expect(gone.exitCode).toBe(1);
  expect(gone.stderr).toContain("RUN_NOT_FOUND");
});

test("a reader that leaves early stops neither the run nor its exit code", async () => {
  const command = `'${process.env["ATOMIC_TEST_PROGRAM"] ?? join(import.meta.dir, "../../bin/atomic")}' run plan --script '${quick}' --json --deltas; echo "exit $?" >&2`;
  const piped = Bun.spawn(["/bin/sh", "-c", `{ ${command}; } | head -1`], {
    cwd: world.project,
    env: world.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(piped.stdout).text(), new Response(piped.stderr).text()]);

  expect(stdout.trim().split("\n")).toHaveLength(1);
  const { runId } = JSON.parse(stdout) as { runId: string };
  expect(stderr).toBe("exit 0\n");
  expect((await world.run(["sessions", "show", runId])).stdout).toContain("Status:  completed");
  const page = Bun.spawn(
    [
      "/bin/sh",
      "-c",
      `'${process.env["ATOMIC_TEST_PROGRAM"] ?? join(import.meta.dir, "../../bin/atomic")}' sessions logs ${runId} | head -1; echo "exit $?"`,
    ],
    {
      cwd: world.project,
      env: world.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  expect(await new Response(page.stdout).text()).toContain("run.started");
  expect(await new Response(page.stderr).text()).toBe("");
});

test("a full standard output does not stop the run; it is reported at the end", async () => {
  const child = Bun.spawn(
    [
      "/bin/sh",
      "-c",
      `'${process.env["ATOMIC_TEST_PROGRAM"] ?? join(import.meta.dir, "../../bin/atomic")}' run plan --script '${quick}' --json > /dev/full`,
    ],
    { cwd: world.project, env: world.env, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const stderr = await new Response(child.stderr).text();
  await child.exited;

  expect(child.exitCode).toBe(1);
  expect(stderr).toContain("Standard output can't be written");
  expect((await world.run(["sessions", "show"])).stdout).toContain("Status:  completed");
});

test("a run that was killed before its first record is shown as what it is, and can be removed", async () => {
  const world = createCliWorld();
  const id = "11111111-2222-4333-8444-555555555555";
  const opening = `import { SessionStore } from ${JSON.stringify(join(import.meta.dir, "../../src/workflows/sessions/session-store.ts"))};
await new SessionStore({ dir: ${JSON.stringify(world.sessions)} }).open("${id}", { mode: "create" });
process.kill(process.pid, "SIGKILL");
`;
  const killed = Bun.spawnSync([process.execPath, "--no-env-file", world.write("open.ts", opening)], {
    env: world.env,
  });
  expect(killed.signalCode).toBe("SIGKILL");

  const listed = await world.run(["sessions", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, status: "unreadable" }]);
  for (const words of [
    ["resume", id],
    ["sessions", "show", id],
  ]) {
    const refused = await world.run(words);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("was ended before its start was on record: nothing was done");
    expect(refused.stderr).toContain(`atomic sessions rm ${id}`);
  }
  expect((await world.run(["resume"])).stderr).toContain("RUN_NOT_FOUND");
  expect((await world.run(["sessions", "rm", id])).exitCode).toBe(0);
  expect(existsSync(join(world.sessions, id))).toBe(false);
});

test("a run that was killed while its journal was made can be seen and removed", async () => {
  const world = createCliWorld();
  const id = "11111111-2222-4333-8444-555555555555";
  const path = join(world.sessions, id, "journal.sqlite");
  const { createDatabase } = await import("../../src/journal/sqlite/database.ts");
  const { loadSqlite } = await import("../../src/journal/sqlite/sqlite-library.ts");
  createDatabase({ path, sync: "full", busyTimeoutMs: 1000, sqlite: await loadSqlite() });

  const listed = await world.run(["sessions", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, status: "unreadable" }]);
  expect((await world.run(["resume", id])).stderr).toContain("RUN_NOT_FOUND");
  expect((await world.run(["sessions", "rm", id])).exitCode).toBe(0);
  expect(existsSync(join(world.sessions, id))).toBe(false);
});
