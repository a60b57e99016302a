// The full-screen chat in tmux, typed by keys, with the real program and the scripted agent.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const turns = [
  {
    match: "colour",
    steps: [
      { ask: { question: "Which colour?", options: ["red", "blue"] }, as: "colour" },
      { say: "You chose ${colour}." },
    ],
  },
  { match: "wait", steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "It went." }] },
  { match: "hang", steps: [{ say: "Half a sentence" }, { hang: true }] },
  {
    steps: [
      { think: "Let me see." },
      { say: "Hello **you**." },
      { write: { path: "a.txt", content: "one\ntwo\n" } },
      { usage: { inputTokens: 1200, outputTokens: 90, costUsd: 0.4 } },
    ],
  },
];

const world = createCliWorld();
const script = world.script("chat", turns);
const tmux = createTmux(world);
const open = (...words: readonly string[]) => tmux.open([world.program, "chat", "--script", script, ...words]);

test.skipIf(tmuxProgram === null)(
  "a conversation: markdown, tools, a question, a queue, commands, and leaving",
  async () => {
    const chat = open();
    await chat.seen("? keys");
    chat.type("hi");
    chat.keys("Enter");
    const frame = await chat.seen("✓ write  a.txt");
    expect(frame).toContain("you  hi");
    expect(frame).toContain("+2 −0");
    await chat.seen("●  Hello you.");

    chat.type("pick a colour");
    chat.keys("Enter");
    await chat.seen("? Which colour?");
    // Without the focus, keys go to the input.
    chat.type("draft");
    await chat.seen("❯ draft");
    chat.keys("Tab", "2");
    await chat.seen("You chose blue.");
    expect(await chat.seen("❯ draft")).not.toContain("Which colour?\n ❯ 1");
    chat.keys("C-c");
    await chat.seen(/❯\s*\n.*\? keys/);

    chat.type("please wait");
    chat.keys("Enter");
    await chat.seen("◐ bash");
    chat.type("hi again");
    chat.keys("Enter");
    await chat.seen("queued  1 hi again");
    world.write("project/go", "");
    await chat.seen("It went.");
    await chat.seen("you  hi again");

    chat.type("/he");
    await chat.seen("/help               [command-name]           Show what can be typed after a slash");
    chat.keys("Enter");
    await chat.seen("Slash Commands");
    chat.keys("Escape");
    // A key right after Esc would be Alt and that key.
    await chat.seen(/^(?![^]*Slash Commands)/);
    chat.type("/model other");
    chat.keys("Enter");
    await chat.seen(/· other\s*\n/);

    chat.type("/exit");
    chat.keys("Enter");
    await chat.seen("EXIT=0");
    expect(await chat.seen("Continue with: atomic chat --resume ")).toContain("> hi again");
  },
);

test.skipIf(tmuxProgram === null)("Esc stops the turn and never leaves; the text stays", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("please hang");
  chat.keys("Enter");
  await chat.seen("Half a sentence");
  chat.keys("Escape");
  await chat.seen("■ Stopped.");
  chat.keys("Escape");
  const frame = await chat.seen("Half a sentence");

  expect(frame).not.toContain("EXIT=");
});

test.skipIf(tmuxProgram === null)(
  "after kill -9 the chat continues with what was said, and the draft is still there",
  async () => {
    const chat = open();
    await chat.seen("? keys");
    chat.type("please hang");
    chat.keys("Enter");
    await chat.seen("Half a sentence");
    chat.type("my draft");
    await chat.seen("❯ my draft");
    await poll(() => [...new Bun.Glob("chat/draft-*.txt").scanSync(world.atomicHome)][0]);
    process.kill(chat.pid(), "SIGKILL");
    await chat.seen("EXIT=137");
    const again = open("--continue");
    await again.seen("■ The program was ended in the middle of this turn.");

    expect(await again.seen("❯ my draft")).toContain("you  please hang");
  },
);
