import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { createTypeAhead } from "./type-ahead.ts";

test("characters wait for the screen, in order; the terminal's own answers do not", () => {
  const stdin = new EventEmitter();
  const seen: string[] = [];
  stdin.on("data", (bytes: Buffer) => seen.push(bytes.toString("utf8")));
  const typed = createTypeAhead();

  expect(["h", "é", "\n"].map(typed.handler)).toEqual([true, true, true]);
  expect(typed.handler("\x1b[?997;1n")).toBe(false);
  typed.release(stdin);
  typed.release(stdin);
  expect(seen).toEqual(["hé\r"]);
  expect(typed.handler("x")).toBe(false);
});

test("a paste waits too, between the characters around it, and is a paste again", () => {
  const stdin = new EventEmitter();
  const seen: string[] = [];
  stdin.on("data", (bytes: Buffer) => seen.push(bytes.toString("utf8")));
  const typed = createTypeAhead();

  typed.handler("a");
  typed.takePaste({ bytes: Buffer.from("one\ntwo") });
  typed.handler("b");
  typed.release(stdin);
  typed.takePaste({ bytes: Buffer.from("later") });
  expect(seen).toEqual(["a\x1b[200~one\ntwo\x1b[201~b"]);
});

test("Alt with a key waits as one key", () => {
  const stdin = new EventEmitter();
  const seen: string[] = [];
  stdin.on("data", (bytes: Buffer) => seen.push(bytes.toString("utf8")));
  const typed = createTypeAhead();

  expect(["a", "\x1b\r", "b", "\x1bf"].map(typed.handler)).toEqual([true, true, true, true]);
  for (const answer of ["\x1b]11;rgb:0/0/0\x07", "\x1bP>|tmux\x1b\\", "\x1b[?1;2c", "\x1b_G\x1b\\"])
    expect(typed.handler(answer)).toBe(false);
  typed.release(stdin);
  expect(seen).toEqual(["a\x1b\rb\x1bf"]);
});

test("kitty keys wait, such as Shift+Enter; the answer to whether there are some does not", () => {
  const stdin = new EventEmitter();
  const seen: string[] = [];
  stdin.on("data", (bytes: Buffer) => seen.push(bytes.toString("utf8")));
  const typed = createTypeAhead();

  expect(["a", "\x1b[13;2u", "\x1b[97:65;2:1u"].map(typed.handler)).toEqual([true, true, true]);
  expect(typed.handler("\x1b[?1u")).toBe(false);
  typed.release(stdin);
  expect(seen).toEqual(["a\x1b[13;2u\x1b[97:65;2:1u"]);
});
