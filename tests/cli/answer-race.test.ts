// `atomic answer` through the real program: two answers to one question at the same moment, and declined questions
// whose default is not an option.

import { expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("two simultaneous answers to one question leave the loop's next question open", async () => {
  const world = createCliWorld();
  const go = join(world.root, "go");
  world.workflow(
    "gates",
    `import { existsSync } from "node:fs";
import { createNode, graph } from "atomic/workflows";
export const name = "gates";
export const description = "Asks for an approval in each iteration";
export const prompt = "none";
const gate = createNode({
  id: "gate",
  execute: async (ctx) => {
    const work = () => ctx.step("work", async () => {
      while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 10));
    });
    const [answer] = await Promise.all([ctx.ask({ id: "approve", text: "Go?", options: ["yes", "no"] }), work()]);
    return { stateUpdate: { outputs: { [ctx.key]: answer } } };
  },
});
export default () => graph().start(createNode({ id: "start", execute: () => {} })).loop(gate, { maxIterations: 2, until: () => false, onLimit: "leave" });
`,
  );
  const run = world.start(["run", "gates", "-a", "scripted", "--script", world.script("s", [])]);
  await run.seen("answer with: ");
  const id = world.onlyRun();
  // Both see the question open: its owner can't take the first one yet.
  run.signal("SIGSTOP");
  const answers = ["yes", "no"].map((value) => world.start(["answer", id, value]));
  const journal = new Database(join(world.sessions, id, "journal.sqlite"), { readonly: true });
  await poll(() => journal.query("SELECT id FROM requests").all().length === 2 || undefined);
  world.write("go", "");
  run.signal("SIGCONT");

  expect((await run.ended).exitCode).toBe(4);
  const ended = await Promise.all(answers.map(({ ended: end }) => end));
  expect(ended.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  expect(ended.find(({ exitCode }) => exitCode === 1)?.stderr).toContain("has an answer already; yours was not taken");
  expect(journal.query("SELECT id FROM requests").all()).toEqual([]);
  journal.close();
  const shown = JSON.parse((await world.run(["sessions", "show", id, "--json"])).stdout) as object;
  expect(shown).toMatchObject({ questions: [{ key: "gate#2" }], savedAnswers: [] });
  expect((await world.run(["resume", id])).exitCode).toBe(4);
});

test.each([
  ["[]", "multiSelect: true"],
  ['"later"', "multiSelect: false"],
  ["false", "multiSelect: false"],
])("a declined question gets its default %s, which is not an option", async (value, more) => {
  const world = createCliWorld();
  world.workflow(
    "pick",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "pick";
export const description = "Asks with a default that is not an option";
export const prompt = "none";
export default () => graph().start(askUserNode({ id: "pick", question: "Which?", options: ["a", "b"], ${more}, default: ${value} }));
`,
  );
  await world.run(["run", "pick", "-a", "scripted", "--script", world.script("s", [])]);
  const id = world.onlyRun();
  expect((await world.run(["answer", id, "--decline"])).exitCode).toBe(0);
  const resumed = await world.run(["resume", id, "--json"]);

  expect(resumed.exitCode).toBe(0);
  expect(resumed.events().find(({ type }) => type === "question.answered")).toMatchObject({
    answer: JSON.parse(value) as unknown,
  });
});
