// The terminal after the chat screen, read from the raw bytes, for every way to end it: clean, with the right exit code,
// no process left, and the chat on record.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { leftOn, startAtTerminal } from "./terminal.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("chat", [
  { match: "hang", steps: [{ say: "Half a sentence" }, { hang: true }] },
  { steps: [{ say: "**Hello.** See `a ** b`." }] },
]);
const env = { ...world.env, XDG_DATA_HOME: join(world.root, "xdg") };
const started: ReturnType<typeof startAtTerminal>[] = [];
afterAll(() => {
  for (const each of started) each.close();
});

function open(...words: readonly string[]) {
  const terminal = startAtTerminal([world.program, "chat", "--script", script, ...words], { cwd: world.project, env });
  started.push(terminal);
  return terminal;
}

const isGone = (pid: number): true | undefined => {
  try {
    process.kill(pid, 0);
    return undefined;
  } catch {
    return true;
  }
};

test("leaving restores the terminal and keeps the last exchange, without signs of Markdown, and the resume command in sight", async () => {
  const terminal = open("hi");
  await terminal.seen("Hello.");
  terminal.type("/exit\r");
  const exitCode = await terminal.ended;
  const after = terminal.bytes().slice(terminal.bytes().lastIndexOf("\x1b[?1049l"));

  expect(exitCode).toBe(0);
  expect(leftOn(terminal.bytes())).toEqual([]);
  expect(after).toContain("> hi\r\nHello. See `a ** b`.\r\nContinue with: atomic chat --resume ");
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const)("%s in the middle of a turn leaves a clean terminal and exit code %i", async (signal, code) => {
  const terminal = open("please hang");
  await terminal.seen("Half a sentence");
  const pid = await terminal.pid();
  process.kill(pid, signal);
  const exitCode = await terminal.ended;

  expect(exitCode).toBe(code);
  expect(leftOn(terminal.bytes())).toEqual([]);
  expect(await poll(() => isGone(pid))).toBe(true);
  expect(terminal.bytes()).toContain("Continue with: atomic chat --resume ");
});

test("a terminal that is closed ends the program, and the chat is on record as paused", async () => {
  const terminal = open("please hang");
  await terminal.seen("Half a sentence");
  const pid = await terminal.pid();
  terminal.close();

  expect(await poll(() => isGone(pid), 30_000)).toBe(true);
  const { stdout } = await world.run(["sessions"]);
  expect(stdout).not.toContain("running");
});

test.each([
  ["throw", "boom thrown"],
  ["reject", "boom rejected"],
  ["render", ""],
])("an error (%s) restores the terminal before anything else", async (how) => {
  const fixture = join(import.meta.dir, "breaking-screen.tsx");
  const terminal = startAtTerminal([process.execPath, fixture, how], { cwd: world.project, env });
  started.push(terminal);

  expect(await terminal.ended).toBe(1);
  expect(leftOn(terminal.bytes())).toEqual([]);
  expect(terminal.bytes()).toContain("ended by error");
});

test("`atomic` alone, and with options of the chat only, opens the chat", async () => {
  const terminal = startAtTerminal([world.program, "-a", "scripted", "--script", script], { cwd: world.project, env });
  started.push(terminal);
  await terminal.seen("? keys");
  terminal.type("/exit\r");

  expect(await terminal.ended).toBe(0);
  expect((await world.run([])).stdout).toContain("atomic COMMAND --help");
});

test("what is typed before the first frame is not lost", async () => {
  const terminal = open();
  await terminal.pid();
  terminal.type("/exit\r");

  expect(await terminal.ended).toBe(0);
});

test("TERM=dumb and --plain open no screen", async () => {
  const plain = open("--plain", "hi");
  await plain.seen("Hello.");
  plain.type("/exit\r");
  await plain.ended;

  expect(plain.bytes()).not.toContain("\x1b[?1049h");
  expect(plain.bytes()).toContain("Chat with scripted");
});
