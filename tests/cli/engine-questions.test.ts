// Questions that share an id, through the real program: each can be answered, and the run comes to its end.

import { expect, setDefaultTimeout, test } from "bun:test";
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
  for (const [place, value] of ["yes", "no"].entries())
    expect((await world.run(["answer", id, "--question", ids[place] as string, value])).exitCode).toBe(0);
  const resumed = await world.run(["resume", "--json"]);
  expect(resumed.exitCode).toBe(0);
  const updates = resumed.events().filter(({ type }) => type === "node.finished");
  expect(updates.map((event) => event["update"])).toEqual([{ outputs: { a: "yes" } }, { outputs: { b: "no" } }]);
});
