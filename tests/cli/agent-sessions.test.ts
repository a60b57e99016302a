// The agent sessions of a run: what they remember after a wait, a kill and a clear, and who speaks in them.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const learn = `agentNode({ id: "learn", prompt: "The colour is blue." })`;
const recall = `agentNode({ id: "recall", prompt: "Which colour?" })`;
const wait = `askUserNode({ id: "wait", question: "Go on?" })`;

function workflow(name: string, steps: readonly string[]): string {
  const [first, ...rest] = steps;
  return `import { agentNode, askUserNode, clearContextNode, contextMonitorNode, graph } from "atomic/workflows";
export const name = "${name}";
export const description = "Talks in the session main";
export const prompt = "none";
export default () => graph().start(${first})${rest.map((step) => `.then(${step})`).join("")};
`;
}

function createWorld() {
  const world = createCliWorld();
  world.workflow("talk", workflow("talk", [learn, wait, recall]));
  world.workflow("forget", workflow("forget", [learn, `clearContextNode({ id: "clear" })`, wait, recall]));
  world.workflow(
    "measure",
    workflow("measure", [learn, wait, `contextMonitorNode({ id: "full", threshold: 0.5, action: "none" })`]),
  );
  world.workflow(
    "roles",
    workflow("roles", [
      `agentNode({ id: "look", agent: "looker", prompt: "look" })`,
      `agentNode({ id: "make", agent: "maker", prompt: "make" })`,
      `agentNode({ id: "check", agent: "looker", prompt: "check" })`,
    ]),
  );
  const script = world.script("talk", [
    { match: "The colour is blue", steps: [{ say: "noted" }, { usage: { inputTokens: 3, outputTokens: 1 } }] },
    {
      match: "Which colour",
      remembers: "colour is blue[^]*noted",
      steps: [{ bash: "[ -e hold ] && rm hold && touch held && exec sleep 60; true" }, { say: "blue" }],
    },
    { match: "Which colour", steps: [{ say: "I don't know" }] },
  ]);
  const run = (name: string) => ["run", name, "--script", script];
  return { ...world, run: world.run, talk: run };
}

/** Runs it to its question, answers, and resumes. */
async function resumed(world: ReturnType<typeof createWorld>, name: string, between = (_id: string) => {}) {
  expect((await world.run(world.talk(name))).exitCode).toBe(4);
  const id = world.onlyRun();
  expect((await world.run(["answer", id, "yes"])).exitCode).toBe(0);
  between(id);
  return world.run(["resume", id]);
}

test("a run that waited continues its agent session", async () => {
  const ended = await resumed(createWorld(), "talk");

  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("blue");
  expect(ended.stdout).not.toContain("I don't know");
});

test("a run that was killed continues its agent session, in the turn that was interrupted", async () => {
  const world = createWorld();
  world.write("project/hold", "");
  const live = world.start([...world.talk("talk"), "--answer", "Go on?=yes"]);
  await poll(() => (existsSync(join(world.project, "held")) ? true : undefined));
  live.signal("SIGKILL");
  await live.ended;
  const ended = await world.run(["resume", world.onlyRun(), "--json"]);

  expect(ended.exitCode).toBe(0);
  expect(ended.events().findLast(({ type }) => type === "node.finished")).toMatchObject({
    update: { outputs: { recall: "blue" } },
  });
  const sessions = (await world.run(["sessions", "logs", world.onlyRun(), "--json"])).events();
  const ids = sessions.filter(({ type }) => type === "agent.turn-started").map(({ sessionId }) => sessionId);
  expect(ids.length).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(1);
});

test("a session that the agent has lost starts over, and the run says so", async () => {
  const world = createWorld();
  const ended = await resumed(world, "talk", (id) => rmSync(join(world.sessions, id, "memory"), { recursive: true }));

  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("I don't know");
  expect(ended.stdout + ended.stderr).toContain(`the agent can't continue the session "main"`);
});

test("a session that was cleared before a wait stays cleared", async () => {
  const ended = await resumed(createWorld(), "forget");

  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("I don't know");
});

test("contextMonitorNode measures a session of an earlier process", async () => {
  const ended = await resumed(createWorld(), "measure");

  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("maxTokens");
});

test("each agent named in a shared session has its own tools and model, and they share its memory", async () => {
  const world = createWorld();
  world.write("home/.atomic/agents/looker.md", "---\ntools: Read\nmodel: haiku\n---\nYou look.");
  world.write("home/.atomic/agents/maker.md", "---\ntools: Write\nmodel: opus\n---\nYou make.");
  const write = (path: string) => ({ write: { path, content: "x" } });
  const script = world.script("roles", [
    { agent: "looker", match: "look", steps: [write("by-looker.txt"), { say: "looked" }] },
    { agent: "maker", match: "make", remembers: "looked", steps: [write("by-maker.txt"), { say: "made" }] },
    { agent: "looker", match: "check", remembers: "made", steps: [write("by-checker.txt"), { say: "checked" }] },
  ]);
  const ended = await world.run(["run", "roles", "--script", script, "--json"]);

  expect(ended.exitCode).toBe(0);
  expect(
    ["by-looker.txt", "by-maker.txt", "by-checker.txt"].map((file) => existsSync(join(world.project, file))),
  ).toEqual([false, true, false]);
  const turns = ended.events().filter(({ type }) => type === "agent.turn-started");
  expect(turns.map(({ modelAsked }) => modelAsked)).toEqual(["haiku", "opus", "haiku"]);
  expect(new Set(turns.map(({ sessionId }) => sessionId)).size).toBe(1);
});
