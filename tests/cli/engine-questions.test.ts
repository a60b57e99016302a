// Questions through the real program: those that share an id, and those that a node asks while a step of it still works.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("two open questions with the same id pause the run with exit 4, and are answered one by one", async () => {
  const world = createCliWorld();
  world.workflow(
    "twins",
    `import { createNode, graph } from "atomic/workflows";
export const name = "twins";
export const description = "Asks twice under one id";
export const prompt = "none";
const ask = (id, text) => createNode({
  id,
  execute: async (ctx) => ({ stateUpdate: { outputs: { [id]: await ctx.ask({ id: "approve", text }) } } }),
});
const start = createNode({ id: "start", execute: () => {} });
export default () => graph().start(start).parallel({ branches: [ask("a", "Approve a?"), ask("b", "Approve b?")] });
`,
  );
  const first = await world.run(["run", "twins", "-a", "scripted", "--script", world.script("s", []), "--json"]);
  const id = world.onlyRun();
  const asked = first.events().filter(({ type }) => type === "question.asked");
  const ids = asked.map((event) => (event["question"] as { readonly id: string }).id);

  expect(first.exitCode).toBe(4);
  expect(ids[0]).toBe("approve");
  expect(new Set(ids).size).toBe(2);
  const answer = (...words: readonly string[]) => world.run(["answer", id, ...words]);
  expect((await answer("yes")).stderr).toContain("asks 2 questions");
  expect((await answer("--question", "approve", "yes")).exitCode).toBe(0);
  // The name still means the first one; the other is the only one that is left.
  expect((await answer("--question", "approve", "no")).stderr).toContain('"Approve a?" of run');
  const { stdout: shown } = await world.run(["sessions", "show", id]);
  const [, name = ""] = /answer with: .* --question '?([^' ]+)'? VALUE/.exec(shown) ?? [];
  expect(name).toStartWith("approve@");
  expect((await answer("--question", name, "")).stderr).toContain("The answer is empty");
  expect((await answer("no")).exitCode).toBe(0);
  expect((await answer("no")).stderr).toContain("has an answer already");
  const resumed = await world.run(["resume", "--json"]);
  expect(resumed.exitCode).toBe(0);
  const updates = resumed.events().filter(({ type }) => type === "node.finished");
  expect(updates.map((event) => event["update"])).toEqual([{ outputs: { a: "yes" } }, { outputs: { b: "no" } }]);
});

test("a step that works beside a question is recorded before the run pauses, and its effect happens once", async () => {
  const world = createCliWorld();
  const effects = join(world.project, "effects.txt");
  world.workflow(
    "beside",
    `import { appendFileSync } from "node:fs";
import { createNode, graph } from "atomic/workflows";
export const name = "beside";
export const description = "Works while it asks";
export const prompt = "none";
const node = createNode({
  id: "both",
  execute: async (ctx) => {
    const work = () => ctx.step("work", async () => {
      appendFileSync(${JSON.stringify(effects)}, "worked\\n");
      await new Promise((resolve) => setTimeout(resolve, 300));
      return "done";
    });
    const [who, result] = await Promise.all([ctx.ask("who?"), work()]);
    return { stateUpdate: { outputs: { both: who + " " + result } } };
  },
});
export default () => graph().start(node);
`,
  );
  const first = await world.run(["run", "beside", "-a", "scripted", "--script", world.script("s", []), "--json"]);
  const types = first.events().map(({ type }) => type);

  expect(first.exitCode).toBe(4);
  expect(types.indexOf("step.finished")).toBeGreaterThan(types.indexOf("question.asked"));
  expect(types.at(-1)).toBe("run.paused");
  const resumed = await world.run(["resume", "--answer", "who?=me", "--json"]);
  expect(resumed.exitCode).toBe(0);
  const finished = resumed.events().find(({ type }) => type === "node.finished");
  expect(finished?.["update"]).toEqual({ outputs: { both: "me done" } });
  expect(readFileSync(effects, "utf8")).toBe("worked\n");
});
