// Skills, commands and agents started from the shell, and the way from research to a finished task list.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("a skill runs by name and by alias, with and without arguments", async () => {
  const world = createCliWorld();
  const script = world.script("commit", [
    { match: "no arguments provided", steps: [{ say: "committed everything" }] },
    { match: "Fix the parser", steps: [{ say: "committed the fix" }] },
  ]);
  const plain = await world.run(["run", "commit", "--script", script]);
  const alias = await world.run(["run", "ci", "Fix the parser", "--script", script]);

  expect([plain.exitCode, alias.exitCode]).toEqual([0, 0]);
  expect(plain.stdout).toContain("committed everything");
  expect(alias.stdout).toContain("committed the fix");
  expect(plain.stdout + plain.stderr).toContain("Started Commit session");
});

test("an agent runs with its own prompt, model and tools", async () => {
  const world = createCliWorld();
  const script = world.script("analyse", [
    { agent: "codebase-analyzer", match: "^\\[no arguments provided\\]$", steps: [{ say: "what about?" }] },
    {
      agent: "codebase-analyzer",
      match: "^How does login work",
      steps: [{ write: { path: "not-allowed.txt", content: "x" } }, { say: "like this" }],
    },
  ]);
  const ended = await world.run(["run", "codebase-analyzer", "How does login work?", "--script", script, "--json"]);
  const nothing = await world.run(["run", "codebase-analyzer", "--script", script]);

  expect(ended.exitCode).toBe(0);
  expect(ended.events().find(({ type }) => type === "agent.turn-started")).toMatchObject({
    agent: "atomic:codebase-analyzer",
    modelAsked: "opus",
  });
  expect(existsSync(join(world.project, "not-allowed.txt"))).toBe(false);
  expect(nothing.stdout).toContain("what about?");
});

test("a command of the project runs, and its rules limit what it does", async () => {
  const world = createCliWorld();
  world.write(
    "project/.claude/commands/tidy.md",
    "---\ndescription: Tidies\nallowed-tools: Bash(touch:*)\n---\nTidy $ARGUMENTS.",
  );
  const script = world.script("tidy", [
    { match: "Tidy the docs", steps: [{ bash: "touch tidied" }, { bash: "mkdir escaped" }, { say: "tidied up" }] },
  ]);
  const ended = await world.run(["run", "tidy", "the docs", "--script", script]);

  expect(ended.exitCode).toBe(0);
  expect([existsSync(join(world.project, "tidied")), existsSync(join(world.project, "escaped"))]).toEqual([
    true,
    false,
  ]);
  expect(ended.stdout + ended.stderr).not.toContain("can't limit");
});

test("limits that the agent's program can't keep are named", async () => {
  const world = createCliWorld();
  world.write("project/.claude/commands/tidy.md", "---\nallowed-tools: Bash(touch:*), Edit(docs/**)\n---\nTidy.");
  const script = world.script("tidy", [{ steps: [{ say: "tidied up" }] }]);
  const recording = join(world.root, "recording.jsonl");
  const first = await world.run(["run", "tidy", "--script", script, "--record", recording]);
  const replayed = await world.run(["run", "tidy", "-a", "replay", "--script", recording]);

  expect(first.stdout + first.stderr).toContain('scripted can\'t limit "tidy" to edit(docs/**)');
  expect(replayed.stdout + replayed.stderr).toContain('replay can\'t limit "tidy" to bash(touch:*)');
});

test("a run of a skill that was interrupted is resumed by its id", async () => {
  const world = createCliWorld();
  const script = world.script("ask", [
    { match: "Explain this code", steps: [{ ask: { question: "Which part?" }, as: "part" }, { say: "it is ${part}" }] },
  ]);
  const paused = await world.run(["run", "explain-code", "src/a.ts", "--script", script]);
  const id = world.onlyRun();
  await world.run(["answer", id, "the loop"]);
  const resumed = await world.run(["resume", id]);

  expect(paused.exitCode).toBe(4);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stdout).toContain("it is the loop");
});

test("help of a skill says what it is, and an unknown name finds the nearest skill", async () => {
  const world = createCliWorld();
  const help = await world.run(["run", "commit", "--help"]);
  const unknown = await world.run(["run", "comit"]);

  expect(help.stdout).toContain("Usage: atomic run commit [PROMPT] [options]");
  expect(unknown.exitCode).not.toBe(0);
  expect(unknown.stderr).toContain('Workflow not found: "comit" (did you mean "commit"?)');
});

test("a workflow comes before a skill of the same name", async () => {
  const world = createCliWorld();
  world.workflow(
    "commit",
    `import { graph, toolNode } from "atomic/workflows";
export const name = "commit";
export const prompt = "none";
export default () => graph().start(toolNode({ id: "own", execute: () => "the workflow ran" }));
`,
  );
  const ended = await world.run(["run", "commit", "--script", world.script("none", [])]);

  expect(ended.stdout).toContain("the workflow ran");
});

test("the way from research to finished tasks can be walked from the shell", async () => {
  const world = createCliWorld();
  const tasks = { version: "1.0", tasks: [{ id: "1", name: "Greet", status: "pending", verify: "test -e greet.txt" }] };
  const script = world.script("walk", [
    {
      match: "Research this question",
      steps: [{ write: { path: "research/docs/r.md", content: "# Research" } }, { say: "ok" }],
    },
    {
      match: "Write a technical specification from:\\s+research/docs/r.md",
      steps: [{ write: { path: "specs/s.md", content: "# Spec" } }, { say: "ok" }],
    },
    {
      match: "Break this specification into tasks:\\s+specs/s.md",
      steps: [{ write: { path: "research/tasks.json", content: JSON.stringify(tasks) } }, { say: "ok" }],
    },
    { agent: "worker", task: "1", steps: [{ write: { path: "greet.txt", content: "hello" } }, { say: "done" }] },
    { agent: "reviewer", steps: [{ say: '{"verdict":"correct","findings":[]}' }] },
  ]);
  const walk = [
    ["run", "research-codebase", "How do we greet?"],
    ["run", "create-spec", "research/docs/r.md"],
    ["run", "create-feature-list", "specs/s.md"],
    ["ralph", "--trust"],
  ];
  for (const words of walk) {
    const ended = await world.run([...words, "--script", script]);
    expect([words.join(" "), ended.exitCode, ended.stderr]).toEqual([words.join(" "), 0, expect.any(String)]);
  }
  expect(world.read("project/greet.txt")).toBe("hello");
});
