// What is typed, in tmux with the real program: new lines, the person's own editor, the queue, the screens in turn, and
// questions beside a draft.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const skip = test.skipIf(tmuxProgram === null);

const turns = [
  {
    match: "colour",
    steps: [
      { ask: { question: "Which colour?", options: ["red", "blue"] }, as: "colour" },
      { say: "You chose ${colour}." },
    ],
  },
  { match: "wait", steps: [{ say: "I wait." }, { bash: "until [ -e go ]; do sleep 0.05; done" }] },
  { match: "first", steps: [{ say: "It was the first." }] },
  { match: "second", steps: [{ say: "It was the second." }] },
  { steps: [{ say: "Hello." }] },
];

async function openChat() {
  const world = createCliWorld();
  const script = world.script("chat", turns);
  const chat = createTmux(world).open([world.program, "chat", "--script", script]);
  await chat.seen("? keys");
  return { chat };
}

skip("Alt+Enter, Ctrl+J and a backslash before Enter make new lines; Enter sends all of them", async () => {
  const { chat } = await openChat();
  chat.type("one");
  // The screen listens: before that, a line feed may be an Enter that was typed earlier.
  await chat.seen("❯ one");
  chat.keys("M-Enter");
  chat.type("two");
  chat.keys("C-j");
  chat.type("three\\");
  chat.keys("Enter");
  chat.type("four");
  await chat.seen(/❯ one *\n +two *\n +three *\n +four/);
  chat.keys("Enter");
  await chat.seen(/you {2}one *\n +two *\n +three *\n +four/);
  await chat.seen("Hello.");
});

skip("Ctrl+G opens the text in the person's own editor and takes what they left", async () => {
  const world = createCliWorld();
  const editor = join(world.root, "editor");
  writeFileSync(editor, '#!/bin/sh\nsed -i "s/draft/better text/" "$1"\nprintf "in the editor\\n"\nread -r line\n');
  chmodSync(editor, 0o755);
  const script = world.script("chat", turns);
  const chat = createTmux(world).open([world.program, "chat", "--script", script], { env: { EDITOR: editor } });
  await chat.seen("? keys");
  chat.type("a draft");
  await chat.seen("❯ a draft");
  chat.keys("C-g");
  // The screen is gone meanwhile, and keys are the editor's.
  await chat.seen("in the editor");
  await chat.gone("? keys");
  chat.keys("Enter");
  await chat.seen("❯ a better text");
  chat.keys("Enter");
  await chat.seen("Hello.");
});

skip("queued messages are reordered, edited, deleted and sent now", async () => {
  const { chat } = await openChat();
  chat.type("please wait");
  chat.keys("Enter");
  await chat.seen("I wait.");
  for (const [i, text] of ["the first", "a mistake", "the second"].entries()) {
    chat.type(text);
    chat.keys("Enter");
    await chat.seen(new RegExp(`queued .*${i + 1} ${text}`));
  }
  await chat.seen(/queued +1 the first +2 a mistake +3 the second/);
  chat.keys("Up");
  await chat.seen("enter edits");
  chat.keys("M-Up");
  await chat.seen(/queued +1 the first +2 the second +3 a mistake/);
  // The one that is chosen is in sight on a narrow screen too.
  chat.resize(60, 15);
  chat.keys("Down");
  await chat.seen(/queued +3 a mistake +enter edits/);
  chat.keys("DC");
  await chat.seen(/queued +2 the second +enter edits/);
  chat.keys("Enter");
  await chat.seen("❯ the second");
  chat.type(" one");
  chat.keys("Enter");
  await chat.seen(/queued +1 the first +2 the second one/);
  // The second overtakes the first.
  chat.keys("Up");
  await chat.seen(/queued +2 the second .* enter edits/);
  chat.keys("s");
  await chat.seen("It was the second.");
  await chat.seen("It was the first.");
  expect(chat.frame()).not.toContain("a mistake");
});

skip("Shift+Tab shows the screens in turn, and the draft is kept", async () => {
  const { chat } = await openChat();
  chat.type("my draft");
  await chat.seen("❯ my draft");
  for (const shown of ["mission control", "0 in all", "evidence"]) {
    chat.keys("BTab");
    await chat.seen(shown);
  }
  chat.keys("BTab");
  await chat.seen("❯ my draft");
});

skip("the screens without a run say how to start one, whole at 60 columns", async () => {
  const { chat } = await openChat();
  chat.resize(60, 15);
  for (const [key, what] of [
    ["F3", "No run yet."],
    ["F4", "No runs yet."],
    ["F5", "No run yet."],
  ] as const) {
    chat.keys(key);
    await chat.seen(`${what} Start one in the chat, for example /ralph.`);
    chat.keys("F2");
    await chat.gone(what);
  }
});

skip("a question takes no key before it is focused, and leaves the draft as it was; Esc leaves it for later", async () => {
  const { chat } = await openChat();
  chat.type("choose a colour");
  chat.keys("Enter");
  // Typed at once: it belongs to the draft.
  chat.type("1 draft");
  await chat.seen(/Which colour\?/);
  await chat.seen("❯ 1 draft");
  chat.keys("Tab");
  await chat.seen("enter answers");
  chat.keys("Escape");
  await chat.gone("enter answers");
  await chat.seen("Which colour?");
  chat.keys("Tab");
  await chat.seen("enter answers");
  // A text of one's own.
  chat.type("green");
  chat.keys("Enter");
  await chat.seen("You chose green.");
  await chat.seen("❯ 1 draft");
});
