// A run at a terminal: lines about what it is doing below the log, colours, a summary; and none of it in a pipe.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "plan",
  `import { createNode, graph } from "atomic/workflows";
export const name = "plan";
export const description = "One task";
export const prompt = "none";
const work = createNode({ id: "work", execute: async (ctx) => {
  const task = (status) => ctx.record({ type: "task.updated", task: { id: "1", title: "Build it", status } });
  task("in_progress");
  console.log("printed by the node");
  await ctx.runtime.agents.spawn({ task: "go", taskId: "1", context: ctx }, ctx.signal);
  task("completed");
  return {};
} });
export default () => graph().start(work);
`,
);
const slow = world.script("slow", [
  {
    steps: [
      { bash: "sleep 1" },
      { write: { path: "made.txt", content: "one\ntwo\n" } },
      { say: "done" },
      { usage: { inputTokens: 1500, outputTokens: 5, costUsd: 0.25 } },
    ],
  },
]);
const words = ["run", "plan", "--script", slow] as const;

test("a terminal shows the worker's task and tool while it works, and a summary at the end", async () => {
  const terminal = world.atTerminal(words);
  await terminal.seen("0 of 1 task ·");
  const { exitCode, shown } = await terminal.ended;

  expect(exitCode).toBe(0);
  expect(Bun.stripANSI(shown)).toMatch(/⠋|⠙|⠹|⠸|⠼/);
  expect(Bun.stripANSI(shown)).toContain("Build it");
  expect(shown).toContain("\x1b[32m✓\x1b[39m 1  Build it");
  // Once, and on a line of its own.
  expect(shown.match(/(?:\n|\[J)printed by the node\r?\n/g) ?? []).toHaveLength(1);
  const end = Bun.stripANSI(shown.slice(shown.indexOf("Completed:")));
  expect(end).toMatch(/Edited by agents: 1 file, \+2 −0\r?\n {4}made\.txt {2}\+2 −0\r?\n/);
  expect(end).toContain("$0.2500, 1.5k tokens in, 5 out, 1 turn");
  expect(end).toMatch(/Time: \d+s from start to end, \d+s of agents' work/);
});

test("a pipe gets lines only", async () => {
  const { exitCode, stderr } = await world.run(words);

  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("\x1b");
  expect(stderr).not.toContain("Time:");
  expect(stderr).toContain("✓ 1  Build it");
});

test("FORCE_COLOR colours a pipe's lines and draws nothing; NO_COLOR wins", async () => {
  const forced = await world.run(words, { env: { FORCE_COLOR: "1" } });
  expect(forced.stderr).toContain("\x1b[32m✓\x1b[39m 1  Build it");
  expect(forced.stderr).not.toContain("\x1b[J");
  const plain = await world.run(words, { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  expect(plain.stderr).not.toContain("\x1b");
});
