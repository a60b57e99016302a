// Kills at the moments between two records: right after a run's end, and between a turn's end and what follows from it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("a run that is already completed is resumed without doing anything, and that is a success", async () => {
  const world = createCliWorld();
  const script = world.script("yolo", [{ steps: [{ bash: "echo turn >> turns" }, { say: "COMPLETE" }] }]);
  await world.run(["ralph", "--yolo", "do it", "--script", script]);
  const id = world.onlyRun();
  const text = await world.run(["resume", id]);
  const json = await world.run(["resume", id, "--json"]);

  expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
  expect(text.stderr).toContain(`Run ${id} is already completed; nothing is left to do.`);
  expect(text.stdout).not.toBe("");
  expect(json.events()).toMatchObject([{ runId: id, type: "run.finished", outcome: "completed" }]);
  expect(world.read("project/turns")).toBe("turn\n");
});

test("resuming a completed run of a workflow without a report prints its outputs as its end did, also without the file", async () => {
  const world = createCliWorld();
  const file = world.workflow(
    "both",
    `import { createNode, graph, toolNode } from "atomic/workflows";
export const name = "both";
export const prompt = "none";
export default () => graph().start(toolNode({ id: "first", execute: () => "one" })).then(toolNode({ id: "second", execute: () => ({ n: 2 }) }));
`,
  );
  const ended = await world.run(["run", "both"]);
  expect(ended.stdout).toBe('first:\none\n\nsecond:\n{\n  "n": 2\n}\n');
  rmSync(file);
  const id = world.onlyRun();
  for (const flags of [[], ["--quiet"]]) {
    const resumed = await world.run(["resume", id, ...flags]);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: ended.stdout });
  }
});

test("resuming a completed run at a terminal shows the summary of its end", async () => {
  const world = createCliWorld();
  const script = world.script("yolo", [{ steps: [{ say: "COMPLETE" }] }]);
  await world.run(["ralph", "--yolo", "do it", "--script", script]);
  const id = world.onlyRun();
  const { shown, exitCode } = await world.atTerminal(["resume", id]).ended;
  expect(exitCode).toBe(0);
  expect(shown).toContain("  Time: ");
  expect(shown).toContain(`  Details: atomic sessions show ${id}`);
});

test("a completed turn is not taken again after a kill before its step was recorded", async () => {
  const world = createCliWorld();
  world.workflow(
    "once",
    `import { createNode, graph } from "atomic/workflows";
import { existsSync, writeFileSync } from "node:fs";
export const name = "once";
export const prompt = "none";
const work = createNode({ id: "work", execute: async (ctx) => {
  const said = await ctx.step("turn", async () => {
    const { output } = await ctx.runtime.agents.spawn({ task: "work", context: ctx, isOnlyTurn: true }, ctx.signal);
    if (!existsSync("held")) {
      writeFileSync("held", "");
      await new Promise(() => {});
    }
    return output;
  });
  return { stateUpdate: { outputs: { work: said } } };
} });
export default () => graph().start(work);
`,
  );
  const script = world.script("once", [
    {
      steps: [
        { bash: "echo turn >> turns" },
        { say: "done" },
        { usage: { inputTokens: 5, outputTokens: 5, costUsd: 0.5 } },
      ],
    },
  ]);
  const live = world.start(["run", "once", "--script", script]);
  await poll(() => (existsSync(join(world.project, "held")) ? true : undefined));
  live.signal("SIGKILL");
  await live.ended;
  const resumed = await world.run(["resume", world.onlyRun(), "--json"]);

  expect(resumed.exitCode).toBe(0);
  expect(world.read("project/turns")).toBe("turn\n");
  expect(resumed.events().at(-1)).toMatchObject({ outcome: "completed", totals: { turns: 1, costUsd: 0.5 } });
});
