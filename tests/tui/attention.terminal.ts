// What the program sends to the terminal beside the screen, read from the raw bytes: a call when the terminal has no
// focus, and a text for its clipboard.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { leftOn, startAtTerminal } from "./terminal.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("chat", [
  { match: "colour", steps: [{ ask: { question: "Which colour?", options: ["red"] }, as: "colour" }, { say: "Ok." }] },
  { match: "fail", steps: [{ fail: { kind: "refused", message: "I will not." } }] },
  { steps: [{ say: "Hello there." }] },
]);
const env = { ...world.env, XDG_DATA_HOME: join(world.root, "xdg") };
const started: ReturnType<typeof startAtTerminal>[] = [];
afterAll(() => {
  for (const each of started) each.close();
});

function open(more: Readonly<Record<string, string>> = {}) {
  const terminal = startAtTerminal([world.program, "chat", "--script", script], {
    cwd: world.project,
    env: { ...env, ...more },
  });
  started.push(terminal);
  return terminal;
}

const blur = "\x1b[O";
const focus = "\x1b[I";

test("a question, an end and a failure notify a user who looks elsewhere, and only then", async () => {
  const terminal = open();
  await terminal.seen("\x1b[?1004h");
  await terminal.seen("? keys");
  terminal.type("hi\r");
  await terminal.seen("Hello there.");
  const calls = (): readonly string[] =>
    terminal
      .bytes()
      .split("\x1b]9;")
      .slice(1)
      .map((rest) => rest.slice(0, rest.indexOf("\x07")));
  expect(calls()).toEqual([]);

  terminal.type(`${blur}colour\r`);
  expect(await poll(() => (calls().length === 1 ? calls() : undefined))).toEqual(["Atomic asks: Which colour?"]);
  await terminal.seen("tab to answer");
  terminal.type("\t1");
  await poll(() => (calls().length === 2 ? calls() : undefined));
  terminal.type("fail\r");
  expect(await poll(() => (calls().length === 3 ? calls()[2] : undefined))).toContain("I will not.");
  terminal.type(`${focus}hi again\r`);
  await terminal.seen("hi again");
  terminal.type("/exit\r");

  expect(await terminal.ended).toBe(0);
  expect(calls()).toHaveLength(3);
  expect(leftOn(terminal.bytes())).toEqual([]);
});

test("in tmux a call is wrapped, so that tmux passes it on", async () => {
  const terminal = open({ TMUX: "/tmp/none,1,0" });
  await terminal.seen("? keys");
  terminal.type(`${blur}hi\r`);

  await terminal.seen("\x1bPtmux;\x1b\x1b]9;Atomic: the turn is finished.\x07\x1b\\");
});

test("y and a drag of the mouse send a text to the clipboard and say so", async () => {
  const terminal = open();
  await terminal.seen("? keys");
  terminal.type("hi\r");
  await terminal.seen("Hello there.");
  terminal.type("\x1b[1;2A");
  terminal.type("y");
  await terminal.seen(`\x1b]52;c;${Buffer.from("Hello there.").toString("base64")}\x07`);
  await terminal.seen("Sent 12 characters to the terminal's clipboard.");

  // Over the first word of what the user said, in the third line.
  terminal.type("\x1b[<0;7;3M\x1b[<32;8;3M\x1b[<32;9;3M\x1b[<0;9;3m");
  await terminal.seen(`\x1b]52;c;${Buffer.from("hi").toString("base64")}\x07`);
});
