// The setting `notify`: a command of the user's own when a run asks, ends or fails.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "asks",
  `import { createNode, graph } from "atomic/workflows";
export const name = "asks";
export const description = "Asks";
export const prompt = "none";
const ask = createNode({ id: "ask", execute: async (ctx) => {
  await ctx.ask({ id: "go", text: "Ship $(touch injected) it?" });
  throw new Error("no");
} });
export default () => graph().start(ask);
`,
);

test("it hears once of a question that the run pauses for, and of a failure, and its text is never run", async () => {
  const env = { ATOMIC_NOTIFY: `echo "$ATOMIC_NOTIFY_OCCASION|$ATOMIC_NOTIFY_TEXT" >> ${world.root}/heard` };
  const asked = await world.run(["run", "asks"], { env });
  expect(asked.exitCode).toBe(4);
  const id = world.onlyRun();
  expect(world.read("heard")).toBe("asks|Asks asks: Ship $(touch injected) it?\n");
  // Resumed without an answer, it pauses again, and asks nothing anew.
  expect((await world.run(["resume", id], { env })).exitCode).toBe(4);
  expect(world.read("heard").split("\n").slice(1)).toEqual([expect.stringMatching(/^paused\|Asks paused: /), ""]);
  expect((await world.run(["answer", id, "yes"])).exitCode).toBe(0);
  expect((await world.run(["resume", id], { env })).exitCode).toBe(1);

  expect(world.read("heard").split("\n").slice(2)).toEqual(["failed|Asks failed", ""]);
  expect(await Bun.file(`${world.project}/injected`).exists()).toBe(false);
});

test("one that hangs is ended, and the run says so", async () => {
  const { exitCode, stderr } = await world.run(["run", "asks"], { env: { ATOMIC_NOTIFY: "sleep 600" } });
  expect(exitCode).toBe(4);
  expect(stderr).toContain("! The notify command took longer than 5 s and was ended.");
});
