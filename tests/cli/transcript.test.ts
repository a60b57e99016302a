import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

const world = createCliWorld();
const tasks = world.write("tasks.json", {
  version: "1.0",
  tasks: [
    { id: "1", title: "Add a parser", status: "pending" },
    { id: "2", title: "Add a printer", status: "pending" },
  ],
});
const work = (task: string, file: string) => ({
  agent: "worker",
  task,
  steps: [
    { think: `thinking about ${task}` },
    { say: `writing ${file}\u001b[31m` },
    { write: { path: file, content: "one\ntwo\n" } },
    { bash: `cat ${file}; echo token-of-$MY_TOKEN`, expect: 0 },
    { say: `did ${file}` },
    { usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.001 } },
  ],
});
const script = world.script("work", [work("1", "parser.txt"), work("2", "printer.txt"), { steps: [{ say: "ok" }] }]);
const reviewed = ["--max-reviews", "0"];

test(
  "sessions transcript shows every turn: prompt, reasoning, tools with output and time, files changed, usage",
  async () => {
    const env = { MY_TOKEN: "s3cr3t-value-1234" };
    const run = await world.run(["ralph", "--feature-list", tasks, "--script", script, ...reviewed], { env });
    expect(run).toMatchObject({ exitCode: 0 });
    const id = world.onlyRun();
    const shown = await world.run(["sessions", "transcript", id]);

    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toMatch(/── \S*worker, task 1, worker 1, /);
    expect(shown.stdout).toMatch(/── \S*worker, task 2, worker 2, /);
    expect(shown.stdout).toContain("Add a parser");
    expect(shown.stdout).toContain("~ thinking about 1");
    expect(shown.stdout).toMatch(/✓ write parser\.txt \(\+2 −0, /);
    expect(shown.stdout).toMatch(/✓ bash cat parser\.txt.* \(exit 0, /);
    expect(shown.stdout).toContain("    one\n    two\n    token-of-[masked MY_TOKEN]");
    expect(shown.stdout).toContain("± parser.txt +2 −0");
    expect(shown.stdout).toMatch(/completed \(.*15 tokens, \$0\.0010\)/);
    expect(shown.stdout).not.toContain("\u001b[31m");

    const one = await world.run(["sessions", "transcript", id, "--task", "2"]);
    expect(one.stdout).toContain("did printer.txt");
    expect(one.stdout).not.toContain("did parser.txt");
    const unknown = await world.run(["sessions", "transcript", id, "--task", "9"]);
    expect(unknown).toMatchObject({ exitCode: 2 });

    const folder = join(world.sessions, id);
    expect(statSync(join(folder, "transcript.jsonl")).mode & 0o777).toBe(0o600);
    const calls = readFileSync(join(folder, "logs/agent-calls.jsonl"), "utf8");
    const ended = calls
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; task?: string; prompt?: string; answer?: string })
      .find(({ type, task }) => type === "agent.turn-finished" && task === "1");
    expect(ended?.prompt).toContain("Add a parser");
    expect(ended?.answer).toContain("did parser.txt");
    for (const file of ["transcript.jsonl", "logs/agent-calls.jsonl"])
      expect(readFileSync(join(folder, file), "utf8")).not.toContain("s3cr3t");

    writeFileSync(join(folder, "transcript.jsonl"), "{torn");
    expect((await world.run(["sessions", "transcript", id])).stderr).toContain("has no transcript");
    rmSync(join(folder, "transcript.jsonl"));
    expect((await world.run(["sessions", "show", id])).exitCode).toBe(0);
  },
  patienceMs,
);

test(
  "another process follows a run and sees the current tool of its worker while it runs",
  async () => {
    world.workflow(
      "waits",
      `import { agentNode, graph } from "atomic/workflows";
export const name = "waits";
export const description = "One turn";
export const prompt = "required";
export default () => graph().start(agentNode({ id: "work", prompt: "Wait for it" }));
`,
    );
    const go = join(world.root, "go");
    const waiting = world.script("waiting", [
      { steps: [{ bash: `until [ -e '${go}' ]; do sleep 0.05; done; echo went` }, { say: "it came" }] },
    ]);
    const run = world.start(["run", "waits", "x", "--script", waiting, "--json"]);
    const line = await run.seen("agent.turn-started");
    const id = (JSON.parse(line.split("\n")[0] ?? "{}") as { runId: string }).runId;
    const follow = world.start(["sessions", "transcript", id, "--follow"]);
    await follow.seen(/→ bash until/);
    expect(existsSync(go)).toBe(false);
    writeFileSync(go, "");
    await follow.seen("it came");

    expect((await run.ended).exitCode).toBe(0);
    const followed = await follow.ended;
    expect(followed.exitCode).toBe(0);
    expect(followed.stdout).toContain("    went");
  },
  patienceMs,
);

test("a node that throws leaves its stack, and sessions show prints it", async () => {
  world.workflow(
    "breaks",
    `import { createNode, graph } from "atomic/workflows";
export const name = "breaks";
export const description = "Throws";
export const prompt = "none";
function deepInside() { throw new TypeError("the cause of it"); }
export default () => graph().start(createNode({ id: "bad", execute: async () => { deepInside(); } }));
`,
  );
  const run = await world.run(["run", "breaks", "--script", script, "--json"]);
  const id = run.events()[0]?.runId ?? "";
  const page = await world.run(["sessions", "show", id]);

  expect(run.exitCode).toBe(1);
  expect(page.stdout).toContain('Stack of "bad":\n  TypeError: the cause of it\n');
  expect(page.stdout).toMatch(/at deepInside \(/);
  expect((await world.run(["sessions", "transcript", id])).stdout).toContain("! bad failed (try 1): the cause of it");
});

test("sessions show prints no stack of a node that recovered, when a check failed the run", async () => {
  world.workflow(
    "recovers",
    `import { createNode, graph } from "atomic/workflows";
export const name = "recovers";
export const description = "Throws once";
export const prompt = "none";
let tries = 0;
const execute = async () => { if (++tries === 1) throw new TypeError("once only"); };
export default () => graph().start(createNode({ id: "flaky", retry: { maxAttempts: 2, backoffMs: 1 }, execute }));
`,
  );
  const run = await world.run(["run", "recovers", "--script", script, "--json", "--verify", "exit 3"]);
  const id = run.events()[0]?.runId ?? "";
  const page = await world.run(["sessions", "show", id]);

  expect(run.exitCode).toBe(1);
  expect(run.events().map(({ type }) => type)).toContain("node.failed");
  expect(page.stdout).toContain("exit 3");
  expect(page.stdout).not.toContain('Stack of "flaky"');
});

test("a run whose transcript is gone is shown without it", async () => {
  const run = world.start(["run", "waits", "x", "--script", script, "--json"]);
  const id = (JSON.parse((await run.seen("run.started")).split("\n")[0] ?? "{}") as { runId: string }).runId;
  expect((await run.ended).exitCode).toBe(0);
  rmSync(join(world.sessions, id, "transcript.jsonl"), { force: true });

  expect(await world.run(["sessions", "transcript", id])).toMatchObject({ exitCode: 0, stdout: "" });
});
