import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

const world = createCliWorld();
const go = join(world.root, "go");
const waitForIt = `until [ -e '${go}' ]; do sleep 0.05; done`;
const tasks = world.write("tasks.json", {
  version: "1.0",
  tasks: [
    { id: "1", title: "Add a parser", status: "pending" },
    { id: "2", title: "Add a printer", status: "pending" },
  ],
});
const script = world.script("two", [
  {
    agent: "worker",
    task: "1",
    steps: [
      { write: { path: "parser.txt", content: "one\ntwo\n" } },
      { usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 } },
      { bash: `${waitForIt}; echo token-of-$MY_TOKEN` },
      { say: "done" },
    ],
  },
  { agent: "worker", task: "2", steps: [{ subagent: { agent: "debugger", prompt: "Find it" } }, { say: "done" }] },
  { agent: "debugger", steps: [{ bash: `${waitForIt}; echo s3cr3t-value-1234` }, { say: "found" }] },
  { steps: [{ say: "ok" }] },
]);

test(
  "sessions show has the current tool of every worker of a live run, and the tree of its sub-agents",
  async () => {
    const words = ["ralph", "--feature-list", tasks, "--script", script, "--max-reviews", "0", "--json"];
    const run = world.start(words, { env: { MY_TOKEN: "s3cr3t-value-1234" } });
    await run.seen("agent.usage-reported");
    const id = world.onlyRun();
    const follow = world.start(["sessions", "transcript", id, "--follow"]);
    await follow.seen(/→ bash until[^]*→ bash until/);
    const shown = await world.run(["sessions", "show", id]);
    const facts = JSON.parse((await world.run(["sessions", "show", id, "--json"])).stdout) as {
      readonly live: readonly object[];
    };

    expect(shown.stdout).toMatch(/Now:\n {2}worker \d {2}task 1 {2}\S*worker {2}\d+s {2}\$0\.2500 {2}\+2 −0\n/);
    expect(shown.stdout).toMatch(/task 1 .*\n {4}→ bash until .* {2}\d+s\n/);
    expect(shown.stdout).toMatch(/task 2 .*\n(.*→.*\n)?.*└ \S*debugger {2}\d+s\n {6}→ bash until .*\n/);
    expect(shown.stdout).not.toContain("s3cr3t");
    expect(facts.live).toMatchObject([
      { task: "1", added: 2, removed: 0, agents: [{ depth: 0, tools: [{ name: "bash" }] }] },
      { task: "2", agents: [{ depth: 0 }, { depth: 1, tools: [{ name: "bash" }] }] },
    ]);

    writeFileSync(go, "");
    expect((await run.ended).exitCode).toBe(0);
    await follow.ended;
    expect((await world.run(["sessions", "show", id])).stdout).not.toContain("Now:");
  },
  patienceMs,
);
