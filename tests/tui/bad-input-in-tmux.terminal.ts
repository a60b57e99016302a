// What a terminal, a user and an agent may do to the chat screen, in the real program: it stays in use, and says what
// happened.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const odd = "日本語 👩‍👩‍👧 \u202Egnp.exe\u202C \u001b[2J\u001b]0;owned\u0007 end";
const script = world.script("chat", [
  {
    match: "stream",
    steps: Array.from({ length: 40 }, (_, i) => [{ say: `paragraph ${i}\n\n` }, { waitMs: 20 }]).flat(),
  },
  {
    match: "big output",
    steps: [{ bash: "head -c 10000000 /dev/zero | tr '\\0' 'x' | fold -w 100" }, { say: "Printed." }],
  },
  { match: "odd", steps: [{ say: odd }, { write: { path: "日本 \u202Ex.txt", content: "a\n" } }] },
  { match: "crash", steps: [{ say: "About to die." }, { crash: 3 }] },
  {
    match: "ask all",
    steps: [
      ...Array.from({ length: 10 }, (_, i) => ({
        ask: { question: `Question number ${i}?`, options: ["yes", "no"] },
        as: `q${i}`,
      })),
      { say: "Answered: ${q0} ${q9}." },
    ],
  },
  { match: "xxxx", steps: [{ say: "A long message." }] },
  { steps: [{ say: "Still here." }] },
]);
const tmux = createTmux(world);
const open = (env: Readonly<Record<string, string>> = {}, columns = 100, rows = 30) =>
  tmux.open([world.program, "chat", "--script", script], { env, columns, rows });
const skip = test.skipIf(tmuxProgram === null);

skip("the size changes while the agent writes, down to 60×15 and up again", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("stream");
  chat.keys("Enter");
  await chat.seen("paragraph 3");
  chat.resize(60, 15);
  await chat.seen(/paragraph (1[2-9]|[23]\d)/);
  chat.resize(140, 45);
  const frame = await chat.seen(/^ project[^]*paragraph 39[^]*\? keys\s*$/);

  expect(frame.split("\n").length).toBeGreaterThan(40);
});

skip("without colours nothing is coloured, and everything can be read", async () => {
  const chat = open({ NO_COLOR: "1" }, 60, 15);
  await chat.seen("? keys");
  chat.type("hi");
  chat.keys("Enter");
  await chat.seen("Still here.");
  chat.type("/theme light");
  chat.keys("Enter");
  await chat.seen("❯");
});

skip("a paste of a megabyte is one mark, and is sent whole", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.paste("x".repeat(1_000_000));
  await chat.seen("[1000000 characters]");
  chat.keys("Enter");
  await chat.seen("A long message.", 30_000);
  chat.type("hi");
  await chat.seen("❯ hi");
});

skip("ten megabytes of a tool's output leave the screen in use", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("big output");
  chat.keys("Enter");
  await chat.seen("Printed.", 30_000);
  chat.keys("C-o");
  await chat.seen("xxxxxxxx");
  chat.keys("C-o");
  chat.type("hi");
  chat.keys("Enter");
  await chat.seen("Still here.");
});

skip("wide characters, emoji, bidi marks and escapes are shown as text and do nothing", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type(`odd 日本 👩‍👩‍👧`);
  chat.keys("Enter");
  const frame = await chat.seen("end");

  expect(frame).toContain("日本語");
  expect(frame).not.toContain("\u202E");
  expect(frame.split("\n")[0]).toContain("project");
  expect(frame).toContain("? keys");
});

skip("an agent that dies is reported, and the next message is answered", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("crash");
  chat.keys("Enter");
  await chat.seen("✗ ");
  await chat.seen("About to die.");
  chat.type("hi");
  chat.keys("Enter");
  await chat.seen("Still here.");
});

skip("ten questions in a row are answered one by one", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("ask all");
  chat.keys("Enter");
  for (let i = 0; i < 10; i++) {
    await chat.seen(`Question number ${i}?`);
    chat.keys("Tab");
    await chat.seen("enter answers");
    chat.keys(i === 9 ? "2" : "1");
  }
  await chat.seen("Answered: yes no.");
});
