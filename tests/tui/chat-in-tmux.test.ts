// The full-screen chat in tmux, typed by keys, with the real program and the scripted agent.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";

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
const socket = `atomic-test-${process.pid}`;
const tmux = Bun.which("tmux");

afterAll(() => {
  if (tmux !== null) Bun.spawnSync([tmux, "-L", socket, "kill-server"]);
});

function run(...words: readonly string[]): string {
  const { stdout } = Bun.spawnSync([tmux ?? "tmux", "-L", socket, ...words], {
    env: { ...world.env, TERM: "xterm-256color" },
  });
  return stdout.toString();
}

let count = 0;
function open(...words: readonly string[]) {
  const name = `s${count++}`;
  const env = Object.entries({ ...world.env, XDG_DATA_HOME: join(world.root, "xdg") }).map(
    ([key, value]) => `${key}=${value}`,
  );
  const command = ["env", ...env, world.program, "chat", "--script", script, ...words]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  const line = `${command}; echo "EXIT=$?"; exec cat`;
  run(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    name,
    "-x",
    "100",
    "-y",
    "30",
    "-c",
    world.project,
    "sh",
    "-c",
    line,
  );
  const frame = (): string => run("capture-pane", "-p", "-t", name);
  return {
    frame,
    keys: (...keys: readonly string[]) => void run("send-keys", "-t", name, ...keys),
    type: (text: string) => void run("send-keys", "-t", name, "-l", text),
    async seen(text: string | RegExp): Promise<string> {
      let last = "";
      const holds = (): boolean => (typeof text === "string" ? last.includes(text) : text.test(last));
      return poll(() => {
        last = frame();
        return holds() ? last : undefined;
      }).catch(() => {
        throw new Error(`${String(text)} was not shown:\n${last}`);
      });
    },
    kill: () => {
      const pane = run("display-message", "-p", "-t", name, "#{pane_pid}").trim();
      const [child] = Bun.spawnSync(["pgrep", "-P", pane]).stdout.toString().trim().split("\n");
      process.kill(Number(child), "SIGKILL");
    },
  };
}

test.skipIf(tmux === null)("a conversation: markdown, tools, a question, a queue, commands, and leaving", async () => {
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
});

test.skipIf(tmux === null)("Esc stops the turn and never leaves; the text stays", async () => {
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

test.skipIf(tmux === null)(
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
    chat.kill();
    await chat.seen("EXIT=137");
    const again = open("--continue");
    const frame = await again.seen("■ The program was ended in the middle of this turn.");

    expect(frame).toContain("you  please hang");
    expect(frame).toContain("❯ my draft");
  },
);
