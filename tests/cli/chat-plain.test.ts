// `atomic chat --plain`: a whole conversation through the real program, in pipes, and continued after it was left, killed
// or refused.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const turns = [
  {
    match: "colour",
    steps: [
      { say: "I'll ask first.\n" },
      { ask: { question: "Which colour?", options: ["red", "blue"] }, as: "colour" },
      { say: "You chose ${colour}." },
    ],
  },
  {
    match: "wait for it",
    steps: [{ say: "Working.\n" }, { bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "Went." }],
  },
  { match: "hang", steps: [{ say: "Half a sentence" }, { bash: "echo started > hanging" }, { hang: true }] },
  { match: "fail", steps: [{ fail: { kind: "overloaded", message: "Too busy." } }] },
  { match: "secret", steps: [{ say: "The key is " }, { bash: 'printf %s "$MY_API_TOKEN"' }, { say: "done" }] },
  { match: "remember", remembers: "the word is zebra", steps: [{ say: "zebra" }] },
  { match: "remember", steps: [{ say: "No idea." }] },
  { agent: "debugger", steps: [{ say: "The debugger looked." }] },
  {
    steps: [
      { think: "Let me see." },
      { say: "Hello **you**." },
      { write: { path: "a.txt", content: "one\ntwo\n" } },
      { say: "All done." },
      { usage: { inputTokens: 1200, outputTokens: 90, costUsd: 0.4 } },
    ],
  },
];

function makeWorld() {
  const world = createCliWorld();
  const script = world.script("chat", turns);
  return { ...world, chat: (...words: readonly string[]) => ["chat", "--plain", "--script", script, ...words] };
}

async function say(world: ReturnType<typeof makeWorld>, words: readonly string[], lines: readonly string[]) {
  const live = world.start(world.chat(...words), { stdin: "pipe" });
  for (const line of lines) live.type(line);
  live.end();
  return live.ended;
}

test("a piped chat prints what the agent says on stdout, the rest on stderr, and says how to continue", async () => {
  const world = makeWorld();
  const { stdout, stderr, exitCode } = await say(world, [], ["hi", "/debugger look at it"]);
  const id = world.onlyRun();

  expect(stdout).toBe("Hello **you**.\nAll done.\nThe debugger looked.\n");
  expect(stderr).toContain("[done] write a.txt (2 lines added, 0 removed");
  expect(stderr).toContain("> /debugger look at it");
  expect(stderr).toEndWith(`Continue with: atomic chat --resume ${id}\n`);
  expect(exitCode).toBe(0);
  expect(world.read("project/a.txt")).toBe("one\ntwo\n");
  const sessions = await world.run(["sessions"]);
  expect(sessions.stdout).toMatch(new RegExp(`${id}\\s+paused\\s+chat\\s+-\\s+\\S+ ago\\s+hi`));
});

test("a question takes the next line as its answer, by number, and the line after that is a message again", async () => {
  const world = makeWorld();
  const { stdout, stderr } = await say(world, [], ["pick a colour", "2", "/help clear"]);

  expect(stdout).toBe("I'll ask first.\nYou chose blue.\n");
  expect(stderr).toContain("Question: Which colour?\n  1. red\n  2. blue\n");
  expect(stderr).toContain("/clear\n  Empty the chat and start a new session");
});

test("a question at the end of the input is declined, and the turn completes", async () => {
  const { stdout, exitCode } = await say(makeWorld(), [], ["pick a colour"]);

  expect(stdout).toBe("I'll ask first.\nYou chose .\n");
  expect(exitCode).toBe(0);
});

test("a failed turn is named and gives exit code 1; an unknown command names the nearest", async () => {
  const { stderr, exitCode } = await say(makeWorld(), [], ["/hepl", "fail now"]);

  expect(stderr).toContain('Command not found: "hepl" (did you mean "help"?)');
  expect(stderr).toContain("[turn failed] Too busy.");
  expect(exitCode).toBe(1);
});

test("a chat that was left is continued by --continue and by --resume, with what was said", async () => {
  const world = makeWorld();
  await say(world, [], ["hi"]);
  const id = world.onlyRun();
  const second = await say(world, ["--continue"], ["pick a colour", "1"]);
  const third = await say(world, ["--resume", id.slice(0, 8)], []);

  expect(second.stderr).toContain("> hi");
  expect(second.stdout).toEndWith("I'll ask first.\nYou chose red.\n");
  expect(third.stdout).toBe("Hello **you**.\nAll done.\nI'll ask first.\nYou chose red.\n");
  expect(third.stderr).toContain("[question answered] red");
  expect((await say(world, ["--resume", "@last"], [])).stdout).toBe(third.stdout);
  expect((await say(world, ["--resume", "0000"], [])).stderr).toContain('No run has an id that starts with "0000"');
  expect(world.onlyRun()).toBe(id);
});

test("a chat that was killed in the middle of a turn keeps every finished piece and continues", async () => {
  const world = makeWorld();
  const live = world.start(world.chat("please hang"), { stdin: "pipe" });
  await live.seen("[done] bash echo started > hanging");
  live.signal("SIGKILL");
  await live.ended;
  const id = world.onlyRun();
  const shown = await world.run(["sessions", "show", id]);
  const next = await say(world, ["--continue"], ["hi"]);

  expect(shown.stdout).toContain("interrupted");
  expect(next.stdout).toBe("Half a sentence\nHello **you**.\nAll done.\n");
  expect(next.stderr).toContain("[turn interrupted] The program was ended in the middle of this turn.");
  expect(next.exitCode).toBe(0);
});

test("Ctrl+C stops the turn and keeps its text; the chat takes the next message", async () => {
  const world = makeWorld();
  const live = world.start(world.chat("please hang"), { stdin: "pipe" });
  await live.seen("[done] bash echo started > hanging");
  live.signal("SIGINT");
  await live.seen("[turn interrupted] Stopped.");
  live.type("hi");
  live.end();
  const { stdout, exitCode } = await live.ended;

  expect(stdout).toBe("Half a sentence\nHello **you**.\nAll done.\n");
  expect(exitCode).toBe(0);
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends the chat in order, with the resume command", async (signal, code) => {
  const world = makeWorld();
  const live = world.start(world.chat("please hang"), { stdin: "pipe" });
  await live.seen("[done] bash echo started > hanging");
  live.signal(signal);
  const { exitCode, stderr } = await live.ended;

  expect(exitCode).toBe(code);
  expect(stderr).toContain(`Continue with: atomic chat --resume ${world.onlyRun()}`);
  expect((await world.run(["sessions"])).stdout).toContain("paused");
});

test("a chat that another process has open is refused, and `atomic resume` sends a chat to `atomic chat`", async () => {
  const world = makeWorld();
  const live = world.start(world.chat("wait for it"), { stdin: "pipe" });
  await live.seen("[running] bash");
  const id = world.onlyRun();
  const refused = await world.run(world.chat("--resume", id));
  world.write("project/go", "");
  live.end();
  const { stdout } = await live.ended;
  const resumed = await world.run(["resume", id]);
  const newest = await world.run(["resume"]);

  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(id);
  expect(stdout).toBe("Working.\nWent.\n");
  expect(resumed.stderr).toContain(`Run ${id} is a chat. Continue it with: atomic chat --resume ${id}`);
  expect(newest.exitCode).not.toBe(0);
});

test("the agent remembers a continued chat, and forgets a cleared one", async () => {
  const world = makeWorld();
  await say(world, [], ["the word is zebra"]);
  const continued = await say(world, ["--continue"], ["do you remember?"]);
  const cleared = await say(world, ["--continue"], ["/clear", "do you remember?"]);

  expect(continued.stdout).toEndWith("All done.\nzebra\n");
  expect(cleared.stdout).toEndWith("zebra\nNo idea.\n");
});

test("/clear starts over, /model changes the model of the next turns, /compact says what it did", async () => {
  const world = makeWorld();
  const { stderr } = await say(
    world,
    [],
    ["hi", "/compact the parser", "/model other", "/model", "/clear", "/exit", "never"],
  );
  const again = await say(world, ["--continue"], []);

  expect(stderr).toMatch(/The conversation was compacted from \d+ to \d+ tokens\. Focus: the parser/);
  expect(stderr).toContain("Model: other\nModel: other");
  expect(stderr).not.toContain("never");
  expect(again.stdout).toBe("");
  expect(again.stderr).toContain("model other");
});

test("a cost limit is kept across continued chats", async () => {
  const world = makeWorld();
  await say(world, ["--max-cost", "0.5"], ["hi"]);
  const { stderr, exitCode } = await say(world, ["--continue", "--max-cost", "0.3"], ["hi"]);

  expect(stderr).toContain("[turn failed] The limit of $0.3 for this chat is reached.");
  expect(exitCode).toBe(1);
});

test("secrets of the environment reach neither the screen nor the record", async () => {
  const world = makeWorld();
  const env = { MY_API_TOKEN: "hunter2-hunter2-hunter2" };
  const live = world.start(world.chat("the secret hunter2-hunter2-hunter2 please"), { stdin: "pipe", env });
  live.end();
  const { stdout, stderr } = await live.ended;
  const events = await world.run(["sessions", "logs", world.onlyRun(), "--json"]);

  for (const text of [stdout, stderr, events.stdout]) expect(text).not.toContain("hunter2-hunter2");
  expect(events.stdout).toContain("[masked MY_API_TOKEN]");
});

test("a chat in which nothing was said leaves no record", async () => {
  const world = makeWorld();
  await say(world, [], ["/help", "/model list"]);

  expect(existsSync(join(world.sessions))).toBe(false);
});

test("what was said and done in a chat is in its transcript", async () => {
  const world = makeWorld();
  await world.run(world.chat("hi"));
  const { stdout } = await world.run(["sessions", "transcript", world.onlyRun()]);

  expect(stdout).toContain("> hi");
  expect(stdout).toContain("a.txt");
  expect(stdout).toContain("All done.");
});
