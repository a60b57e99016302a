// Questions of a run: answered beforehand, declined, from another terminal, at the terminal, or left until somebody comes.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, type Ended, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "ask",
  `import { askUserNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks twice";
export const prompt = "none";
export default () => graph()
  .start(askUserNode({ id: "colour", question: "Is a=b? Which colour?", options: ["red", "blue"] }))
  .then(askUserNode({ id: "size", question: "Which size?", default: "medium" }));
`,
);
// A question of an agent, while another branch goes on until the file is there.
world.workflow(
  "talk",
  `import { createNode, graph } from "atomic/workflows";
export const name = "talk";
export const description = "Lets an agent ask";
export const prompt = "none";
const turn = (id) => createNode({ id, execute: async (ctx) => {
  const result = await ctx.runtime.agents.spawn({ task: id, context: ctx }, ctx.signal);
  if (!result.success) throw new Error(result.error);
  return { stateUpdate: { outputs: { [id]: result.output } } };
} });
export default () => graph().start(turn("first")).parallel({ branches: [turn("asks"), turn("works")], strategy: "all" }).then(turn("last"));
`,
);
const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
const talking = world.script("talking", [
  { match: "^asks", steps: [{ ask: { question: "Really?", options: ["yes", "no"] }, as: "it" }, { say: "[${it}]" }] },
  { match: "^works", steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "worked" }] },
  { steps: [{ say: "ok" }] },
]);
const ask = ["run", "ask", "--script", nothing];

function answersOf(run: Ended): readonly unknown[][] {
  const answered = run.events().filter(({ type }) => type === "question.answered");
  return answered.map(({ answer, by }) => [answer, by]);
}

test("a question that nobody can answer pauses the run with exit 4, and says how to answer", async () => {
  const run = await world.run([...ask, "--json"]);
  const events = run.events();
  const id = events[0]?.runId ?? "";

  expect(run.exitCode).toBe(4);
  expect(events.at(-1)).toMatchObject({
    type: "run.paused",
    reason: "needs-human",
    questions: [{ text: "Is a=b? Which colour?", node: "colour" }],
  });
  expect(run.stderr).toContain("It asks: Is a=b? Which colour?");
  expect(run.stderr).toContain(`atomic answer ${id} --question`);
});

test("--answer answers by text or by id, also when both sides hold a =", async () => {
  const byText = await world.run([...ask, "--answer", "Is a=b? Which colour?=re=d", "--answer", "Which size?=big"]);
  expect(byText.exitCode).toBe(0);
  expect(byText.stdout).toContain("colour:\nre=d");
  expect(byText.stdout).toContain("size:\nbig");

  const asked = await world.run([...ask, "--json"]);
  const [{ id: question } = { id: "" }] = (asked.events().at(-1)?.["questions"] ?? []) as { id: string }[];
  const byId = await world.run([
    "resume",
    asked.events()[0]?.runId ?? "",
    "--answer",
    `${question}=blue`,
    "--no-questions",
  ]);
  expect(byId.exitCode).toBe(0);
  expect(byId.stdout).toContain("colour:\nblue");
});

test("--no-questions takes defaults, and ends with exit 4 at a wait that has none", async () => {
  const run = await world.run([...ask, "--no-questions", "--json", "--answer", "Is a=b? Which colour?=red"]);
  expect(run.exitCode).toBe(0);
  expect(run.events().filter(({ type }) => type === "question.answered")).toMatchObject([
    { answer: "red", by: "given" },
    { answer: "medium", by: "default" },
  ]);
  expect((await world.run([...ask, "--no-questions"])).exitCode).toBe(4);
});

test("--no-questions holds when the run is resumed, until it is told to ask", async () => {
  world.workflow(
    "four",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "four";
export const prompt = "none";
export default () => graph()
  .start(askUserNode({ id: "first", question: "First?" }))
  .then(askUserNode({ id: "second", question: "Second?", default: "two" }))
  .then(askUserNode({ id: "third", question: "Third?" }))
  .then(askUserNode({ id: "fourth", question: "Fourth?", default: "four" }));
`,
  );
  const stopped = await world.run(["run", "four", "--script", nothing, "--no-questions", "--json"]);
  const id = stopped.events()[0]?.runId ?? "";
  const second = await world.run(["resume", id, "--answer", "First?=one", "--json"]);
  const third = await world.run(["resume", id, "--answer", "Third?=three", "--ask", "--json"]);

  expect(stopped.exitCode).toBe(4);
  expect(stopped.stderr).toContain("--no-questions declines questions, and this one has no default.");
  expect(second.exitCode).toBe(4);
  expect(answersOf(second)).toEqual([
    ["one", "given"],
    ["two", "default"],
  ]);
  expect(third.exitCode).toBe(4);
  expect(answersOf(third)).toEqual([["three", "given"]]);
  expect(third.stderr).not.toContain("--no-questions");
});

test("--no-questions declines an agent's question, and the agent goes on", async () => {
  world.write("project/go", "");
  const run = await world.run(["run", "talk", "--script", talking, "--no-questions"]);

  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain("asks:\n[]");
});

test("atomic answer reaches a run of another terminal while it runs", async () => {
  world.write("elsewhere/x", "");
  const cwd = `${world.root}/elsewhere`;
  const run = world.start(["run", "talk", "--script", talking, "--cwd", cwd]);
  await run.seen("answer with: ");
  const id = /Started Talk session: (\S+)/.exec(run.stderr())?.[1] ?? "";
  const unknown = await world.run(["answer", id, "--question", "Relly?", "yes"]);
  const answered = await world.run(["answer", id, "yes"]);
  world.write("elsewhere/go", "");
  const ended = await run.ended;

  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain("Really?");
  expect(answered).toMatchObject({ exitCode: 0, stdout: 'Answered "Really?".\n' });
  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("asks:\n[yes]");
  const late = await world.run(["answer", id, "yes"]);
  expect(late.exitCode).toBe(1);
  expect(late.stderr).toContain("asks nothing");
});

test("atomic answer is kept for a run that has stopped, until it is resumed", async () => {
  const run = await world.run([...ask, "--json"]);
  const id = run.events()[0]?.runId ?? "";
  const kept = await world.run(["answer", id, "--question", "Is a=b? Which colour?", "red"]);

  expect(kept.exitCode).toBe(0);
  expect(kept.stdout).toContain(`Resume with: atomic resume ${id}`);
  const resumed = await world.run(["resume", id, "--no-questions", "--json"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.events().find(({ type }) => type === "question.answered")).toMatchObject({ answer: "red" });
});

test("a person at the terminal is asked there", async () => {
  const terminal = world.atTerminal(ask);
  await terminal.seen("Your answer to");
  terminal.type("2");
  await terminal.seen('Your answer to "Which size?"');
  terminal.type("huge");
  const { exitCode, shown } = await terminal.ended;

  expect(exitCode).toBe(0);
  expect(shown).toContain("colour:\r\nblue");
  expect(shown).toContain("size:\r\nhuge");
});
