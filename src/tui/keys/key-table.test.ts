import { expect, test } from "bun:test";
import { createKeyTable, keyActions, type PressedKey } from "./key-table.ts";

const key = (name: string, modifiers: Partial<PressedKey> = {}): PressedKey => ({
  name,
  ctrl: false,
  meta: false,
  shift: false,
  sequence: "",
  ...modifiers,
});

test("keys find their action, however the terminal names them", () => {
  const { actionOf } = createKeyTable();

  expect(actionOf(key("return"))).toBe("send");
  expect(actionOf(key("return", { meta: true }))).toBe("newline");
  expect(actionOf(key("linefeed"))).toBe("newline");
  expect(actionOf(key("c", { ctrl: true }))).toBe("interrupt");
  expect(actionOf(key("x"))).toBeUndefined();
});

test("no action is bound to a key of the terminal or a multiplexer, and every action is listed", () => {
  const { actionOf, rows } = createKeyTable();

  for (const name of ["a", "b", "z"]) expect(actionOf(key(name, { ctrl: true }))).toBeUndefined();
  expect(rows.map(({ does }) => does)).toHaveLength(keyActions.length);
  expect(rows.every(({ keys }) => keys !== "")).toBe(true);
});

test("a rebound key leaves its old action, and what can't be bound is named", () => {
  const { actionOf, problems, label } = createKeyTable(["output=ctrl+r", "send=x", "history=ctrl+b", "fly=f9"]);

  expect(actionOf(key("r", { ctrl: true }))).toBe("output");
  expect(actionOf(key("o", { ctrl: true }))).toBeUndefined();
  expect(label("output")).toBe("^R");
  expect(problems).toEqual([
    '"x" is not a key that can be bound.',
    '"ctrl+b" is not a key that can be bound.',
    'There is no key action "fly".',
  ]);
});
