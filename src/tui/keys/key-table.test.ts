import { expect, test } from "bun:test";
import { createKeyTables, frameActions, keyActions, type PressedKey } from "./key-table.ts";

const key = (name: string, modifiers: Partial<PressedKey> = {}): PressedKey => ({
  name,
  ctrl: false,
  meta: false,
  shift: false,
  sequence: "",
  ...modifiers,
});

test("keys find their action, however the terminal names them", () => {
  const { actionOf } = createKeyTables().chat;

  expect(actionOf(key("return"))).toBe("send");
  expect(actionOf(key("return", { meta: true }))).toBe("newline");
  expect(actionOf(key("linefeed"))).toBe("newline");
  expect(actionOf(key("c", { ctrl: true }))).toBe("interrupt");
  expect(actionOf(key("x"))).toBeUndefined();
});

test("no action is bound to a key of the terminal or a multiplexer, and every action is listed", () => {
  const { actionOf, rows } = createKeyTables().chat;

  for (const name of ["a", "b", "z"]) expect(actionOf(key(name, { ctrl: true }))).toBeUndefined();
  expect(rows.map(({ does }) => does)).toHaveLength(keyActions.length + frameActions.length);
  expect(rows.every(({ keys }) => keys !== "")).toBe(true);
});

test("a rebound key leaves its old action, and what can't be bound is named", () => {
  const { chat, problems } = createKeyTables(["output=ctrl+r", "send=x", "history=ctrl+b", "fly=f9"]);
  const { actionOf, label } = chat;

  expect(actionOf(key("r", { ctrl: true }))).toBe("output");
  expect(actionOf(key("o", { ctrl: true }))).toBeUndefined();
  expect(label("output")).toBe("^R");
  expect(problems).toEqual([
    '"x" is not a key that can be bound.',
    '"ctrl+b" is not a key that can be bound.',
    'There is no key action "fly".',
  ]);
});

test("moving between screens is bound on each of them, and is rebound on all together", () => {
  const { chat, runs } = createKeyTables(["showRuns=f9", "down=n"]);

  for (const table of [chat, runs]) {
    expect(table.frameActionOf(key("f9"))).toBe("showRuns");
    expect(table.frameActionOf(key("f4"))).toBeUndefined();
    expect(table.frameActionOf(key("tab", { shift: true }))).toBe("nextScreen");
    expect(table.actionOf(key("f9"))).toBeUndefined();
  }
  // A letter types itself where there is an input.
  expect(runs.actionOf(key("n", { sequence: "n" }))).toBe("down");
  expect(chat.actionOf(key("n", { sequence: "n" }))).toBeUndefined();
});
