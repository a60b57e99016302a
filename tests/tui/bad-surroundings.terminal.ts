// What may go wrong around the chat screen, in the real program: a disk that takes nothing more, an agent that says
// nothing more, ten questions at the same time. Terminals that read nothing are in stuck-terminal.terminal.ts.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { startAtTerminal } from "./terminal.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const skip = test.skipIf(tmuxProgram === null);

const prlimit = Bun.which("prlimit");

test.skipIf(tmuxProgram === null || prlimit === null)(
  "a disk that takes nothing more is named, the screen stays in use, and leaving is clean",
  async () => {
    const world = createCliWorld();
    const script = world.script("chat", [
      { match: "fill", steps: [{ say: "z".repeat(400_000) }] },
      { steps: [{ say: "Hello." }] },
    ]);
    const heedless = ["/bin/sh", "-c", 'trap "" XFSZ; exec "$@"', "sh"];
    const chat = createTmux(world).open([...heedless, world.program, "chat", "--script", script]);
    await chat.seen("? keys");
    chat.type("hi");
    chat.keys("Enter");
    await chat.seen("Hello.");
    // Files may not grow beyond 300 kB from now on: to a program that is the same as a disk that is full.
    const limited = Bun.spawnSync([prlimit ?? "", "--pid", String(chat.pid()), "--fsize=300000"]);
    expect(limited.stderr.toString()).toBe("");
    chat.type("fill it");
    chat.keys("Enter");
    await chat.seen("✗ ");
    expect(chat.frame()).toMatch(/disk|space|full/);
    chat.type("/help clear");
    chat.keys("Enter");
    await chat.seen("Empty the chat");
    chat.keys("Escape");
    await chat.gone("Empty the chat");
    chat.type("/exit");
    chat.keys("Enter");
    await chat.seen("EXIT=");
  },
);

skip("an agent that says nothing more is waited for in words, and ended when it was silent for too long", async () => {
  const world = createCliWorld();
  const script = world.script("chat", [
    { match: "hang", steps: [{ say: "Half a sentence" }, { hang: true }] },
    { steps: [{ say: "Still here." }] },
  ]);
  // Two seconds.
  const env = { ATOMIC_MAX_SILENCE: String(2 / 60) };
  const chat = createTmux(world).open([world.program, "chat", "--script", script], { env });
  await chat.seen("? keys");
  chat.type("please hang");
  chat.keys("Enter");
  expect(await chat.seen("Half a sentence")).toMatch(/working +Esc stop/);
  expect(await chat.seen("✗ ")).toMatch(/no sign of life for 2 s/);
  chat.type("hi");
  chat.keys("Enter");
  await chat.seen("Still here.");
});

skip("ten questions at the same time are counted, and answered one after the other; a message answers none", async () => {
  const world = createCliWorld();
  const script = world.script("chat", [{ steps: [{ say: "Hello." }] }]);
  const names = Array.from({ length: 10 }, (_, i) => `q${i}`);
  world.workflow(
    "ten",
    `import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "ten";
export const description = "Asks ten questions at once";
export const prompt = "none";
const ask = (id: string) => askUserNode({ id, question: "Question " + id + "?", options: ["yes", "no"] });
export default () => graph()
  .start(createNode({ id: "begin", execute: async () => ({}) }))
  .parallel({ branches: ${JSON.stringify(names)}.map(ask) });
`,
  );
  const chat = createTmux(world).open([world.program, "chat", "--script", script]);
  await chat.seen("? keys");
  chat.type("/ten");
  chat.keys("Space", "Enter");
  await chat.seen("(9 more)");
  await chat.seen("10 questions wait for you");
  // Typed before the question has the focus: a message, which waits.
  chat.type("1");
  chat.keys("Enter");
  expect(await chat.seen("queued  1 1")).toContain("(9 more)");
  const asked = new Set<string>();
  for (let left = 9; left >= 0; left--) {
    // With its options below it: those that were answered stay above, in the conversation.
    const panel = new RegExp(`\\? Question (q\\d)\\?${left === 0 ? "" : ` +\\(${left} more\\)`}\\s*\\n[ ❯]+1 yes`);
    asked.add(panel.exec(await chat.seen(panel))?.[1] ?? "");
    chat.keys("Tab");
    await chat.seen("enter answers");
    chat.keys("1");
  }
  await chat.seen("ten workflow completed successfully.");
  expect([...asked].toSorted()).toEqual(names);
});

/** The single file unpacks the native part of the screen; the sources have it beside them. */
const isSingleFile = process.env["ATOMIC_TEST_SINGLE_FILE"] !== undefined;

test.skipIf(!isSingleFile)("a disk that is full from the start leaves a chat of plain lines", async () => {
  const world = createCliWorld();
  const script = world.script("chat", [{ steps: [{ say: "Hello." }] }]);
  // Nothing can be unpacked.
  const heedless = ["/bin/sh", "-c", 'trap "" XFSZ; ulimit -f 200; exec "$@"', "sh"];
  const env = { ...world.env, XDG_DATA_HOME: join(world.root, "xdg") };
  const words = ["chat", "--script", script];
  const terminal = startAtTerminal([...heedless, world.program, ...words], { cwd: world.project, env });
  afterAll(() => terminal.close());
  await terminal.seen("The chat uses plain lines instead.");
  terminal.type("hi\n");
  await terminal.seen("Hello.");
});
