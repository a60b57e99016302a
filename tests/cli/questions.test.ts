// Questions of a run: answered beforehand, declined, from another terminal, at the terminal, or left open.

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
  .start(askUserNode({ id: "colour", question: "Is a=b? Which colour?", options: ["red", "blue", "re=d"] }))
  .then(askUserNode({ id: "size", question: "Which size?", default: "medium" }));
`,
);
// A question of an agent, while another branch runs until the file exists.
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
const complete = world.script("complete", [{ steps: [{ say: "COMPLETE" }] }]);
const ask = ["run", "ask", "--script", nothing];

function answersOf(run: Ended): readonly unknown[][] {
  const answered = run.events().filter(({ type }) => type === "question.answered");
  return answered.map(({ answer, by }) => [answer, by]);
}

test("an answer for a question that never comes is named at the end, with the questions that came", async () => {
  const words = ["--answer", "color=red", "--answer", "Which size?=big"];
  const run = await world.run([...ask, "--answer", "colour=red", ...words]);
  expect(run.exitCode).toBe(0);
  const asked = 'colour ("Is a=b? Which colour?"), size ("Which size?")';
  expect(run.stderr).toEndWith(`! --answer "color=…" was not used: the run asked ${asked}.\n`);

  // Resumed, it has the question from before; both are named where the run pauses.
  const paused = await world.run([...ask, ...words]);
  expect(paused.exitCode).toBe(4);
  expect(paused.stderr).toContain(
    '! --answer "color=…" and --answer "Which size?=…" were not used: the run asked colour (',
  );
  const id = /session: (\S+)/.exec(paused.stderr)?.[1] ?? "";
  const resumed = await world.run(["resume", id, "--answer", "Is a=b? Which colour?=re=d", "--answer", "size=big"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stderr).not.toContain("not used");
});

test("an answer given to a run that asks nothing is reported as not used", async () => {
  const run = await world.run(["ralph", "--yolo", "do it", "--script", complete, "--quiet", "--answer", "a=b"]);
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toBe('! --answer "a=…" was not used: the run asked no questions.\n');
});

test("a question without an answer pauses the run with exit 4, and says how to answer", async () => {
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

test.each([[], ["--quiet"]])("a paused run prints its answer command once (flags: %p)", async (...flags) => {
  const { exitCode, stderr } = await world.run([...ask, ...flags]);
  expect(exitCode).toBe(4);
  expect(stderr).toContain("It asks: Is a=b? Which colour?");
  expect(stderr.match(/atomic answer \S+ --question .* VALUE$/gm)).toHaveLength(1);
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

test("--no-questions holds when the run is resumed, until asking is enabled again", async () => {
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

test("--no-questions declines an agent's question, and the agent continues", async () => {
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
  expect(late.stderr).toContain("has no open questions");
});

test("atomic answer is kept for a run that has stopped, until it is resumed", async () => {
  const run = await world.run([...ask, "--json"]);
  const id = run.events()[0]?.runId ?? "";
  const kept = await world.run(["answer", id, "--question", "Is a=b? Which colour?", "red"]);

  expect(kept.exitCode).toBe(0);
  expect(kept.stdout).toContain(`Resume with: atomic resume ${id}`);
  // No one is asked for what is answered.
  const { stdout: shown } = await world.run(["sessions", "show", id]);
  expect(shown).toContain("Status:  paused (answered)");
  expect(shown).toContain(
    'Asked:   Is a=b? Which colour?\n         answered "red"; it is used when the run is resumed',
  );
  expect(shown).not.toContain("answer with:");
  expect((await world.run(["sessions"])).stdout).toMatch(new RegExp(`^${id} +paused \\(answered\\)`, "m"));
  const facts = JSON.parse((await world.run(["sessions", "show", id, "--json"])).stdout) as object;
  expect(facts).toMatchObject({ questions: [], savedAnswers: [{ text: "Is a=b? Which colour?", answer: "red" }] });

  const resumed = await world.run(["resume", id, "--no-questions", "--json"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.events().find(({ type }) => type === "question.answered")).toMatchObject({ answer: "red" });
});

test("a user at the terminal is asked there", async () => {
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

world.workflow(
  "approve",
  `import { askUserNode, graph } from "atomic/workflows";
export const name = "approve";
export const description = "Asks with everything that a question can have";
export const prompt = "none";
const options = [{ label: "Yes", description: "ship it" }, { label: "No", description: "wait" }];
export default () => graph()
  .start(askUserNode({ id: "approve", question: "Ship?", header: "Release", options, default: "No" }))
  .then(askUserNode({ id: "where", question: "Where?", options: ["eu", "us", "asia"], multiSelect: true }))
  .then(askUserNode({ id: "why", question: "Why?", options: ["a", "b"], freeText: true }));
`,
);
const approve = ["run", "approve", "--script", nothing];

test("a question shows its header, options with descriptions, and a name that a user can type", async () => {
  const run = await world.run(approve);
  const id = /session: (\S+)/.exec(run.stderr)?.[1] ?? "";

  expect(run.exitCode).toBe(4);
  expect(run.stderr).toContain("? Release: Ship?\n    1 Yes: ship it\n    2 No: wait\n");
  expect(run.stderr).toContain(`atomic answer ${id} --question approve VALUE`);
  expect(run.stderr).toContain(`atomic answer ${id} --question approve --decline  (it gets "No")`);
  const shown = JSON.parse((await world.run(["sessions", "show", id, "--json"])).stdout) as { questions: unknown[] };
  expect(shown.questions).toMatchObject([
    {
      typed: "approve",
      header: "Release",
      options: [
        { label: "Yes", description: "ship it" },
        { label: "No", description: "wait" },
      ],
      multiSelect: false,
      freeText: false,
      default: "No",
    },
  ]);
});

test("atomic answer refuses an unknown option, a second answer, a closed question and both or neither of value and --decline", async () => {
  const run = await world.run([...approve, "--json"]);
  const id = run.events()[0]?.runId ?? "";
  const answer = (...words: readonly string[]): Promise<Ended> => world.run(["answer", id, ...words]);

  const wrong = await answer("--question", "approve", "maybe");
  expect(wrong.exitCode).not.toBe(0);
  expect(wrong.stderr).toContain('"maybe" is not an option. Choose Yes or No.');
  expect((await answer("")).stderr).toContain("The answer is empty");
  expect((await answer()).exitCode).toBe(2);
  expect((await answer("Yes", "--decline")).exitCode).toBe(2);

  expect(await answer("--question", "approve", "1")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("Saved"),
  });
  const second = await answer("--question", "approve", "No");
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain("has an answer already");

  expect((await world.run(["resume", id])).exitCode).toBe(4);
  const closed = await answer("--question", "approve", "No");
  expect(closed.exitCode).toBe(1);
  expect(closed.stderr).toContain("where: Where?");
  expect((await answer("--decline")).stderr).toContain("can't be declined");
  expect((await answer("eu, 3")).exitCode).toBe(0);
  const last = await world.run(["resume", id, "--answer", "why=because", "--json"]);
  expect(last.exitCode).toBe(0);
  expect(answersOf(last)).toEqual([
    [["eu", "asia"], "request"],
    ["because", "given"],
  ]);
});

test("--answer takes names that a user can type, and an answer that does not fit leaves the question open", async () => {
  const given = ["--answer", "approve=yes", "--answer", "where=us", "--answer", "why=a"];
  const done = await world.run([...approve, ...given, "--json"]);
  expect(done.exitCode).toBe(0);
  expect(answersOf(done).map(([value]) => value)).toEqual(["Yes", ["us"], "a"]);

  const wrong = await world.run([...approve, "--answer", "approve=perhaps"]);
  expect(wrong.exitCode).toBe(4);
  expect(wrong.stderr).toContain('The answer to "Ship?" was not taken: "perhaps" is not an option.');
});

test("a question is declined alone: it gets its default", async () => {
  const run = await world.run([...approve, "--json"]);
  const id = run.events()[0]?.runId ?? "";
  expect((await world.run(["answer", id, "--decline"])).exitCode).toBe(0);
  const resumed = await world.run(["resume", id, "--json"]);
  expect(answersOf(resumed)).toEqual([["No", "request"]]);
});

test("the transcript says that a paused run's question has no answer yet, not that it was declined", async () => {
  world.write("project/go", "");
  const paused = await world.run(["run", "talk", "--script", talking, "--json"]);
  expect(paused.exitCode).toBe(4);
  const transcript = await world.run(["sessions", "transcript", paused.events()[0]?.runId ?? ""]);
  expect(transcript.stdout).toContain("! the turn was stopped before the question was answered");

  const declined = await world.run(["run", "talk", "--script", talking, "--no-questions", "--json"]);
  const other = await world.run(["sessions", "transcript", declined.events()[0]?.runId ?? ""]);
  expect(other.stdout).toContain("! the question was declined");
});

test("an agent's question is declined from another terminal, and the agent continues without an answer", async () => {
  world.write("declining/x", "");
  const run = world.start(["run", "talk", "--script", talking, "--cwd", `${world.root}/declining`]);
  await run.seen("answer with: ");
  const id = /Started Talk session: (\S+)/.exec(run.stderr())?.[1] ?? "";
  const declined = await world.run(["answer", id, "--question", "asks", "--decline"]);
  expect(declined).toMatchObject({ exitCode: 0, stdout: 'Declined "Really?".\n' });
  world.write("declining/go", "");
  const ended = await run.ended;
  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("asks:\n[]");
});

test("at the terminal an answer that does not fit is asked for again", async () => {
  const terminal = world.atTerminal(approve);
  await terminal.seen("Your answer to");
  terminal.type("maybe");
  await terminal.seen("is not an option");
  terminal.type("yes");
  await terminal.seen('Your answer to "Where?"');
  terminal.type("1,2");
  await terminal.seen('Your answer to "Why?"');
  terminal.type("who knows");
  const { exitCode, shown } = await terminal.ended;
  expect(exitCode).toBe(0);
  expect(shown).toContain("who knows");
});
