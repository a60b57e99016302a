import { expect, test } from "bun:test";
import {
  editInput,
  emptyInput,
  type InputAction,
  type InputState,
  isAtEdge,
  shownText,
  wholeText,
} from "./input-state.ts";

const typed = (text: string): InputState => editInput(emptyInput, { type: "set", text });
const apply = (
  state: InputState,
  ...types: readonly Exclude<InputAction["type"], "insert" | "paste" | "set">[]
): InputState => types.reduce((now, type) => editInput(now, { type }), state);
const marked = ({ text, cursor }: InputState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

test.each([
  ["left over an emoji of several code points", typed("a👩‍👩‍👧"), ["left"], "a|👩‍👩‍👧"],
  ["backspace of an accent that combines", typed("e\u0301"), ["backspace"], "|"],
  ["word left and delete word", typed("one two  "), ["deleteWord"], "one |"],
  ["delete to the start of the line", typed("one\ntwo three"), ["wordLeft", "deleteLine"], "one\n|three"],
  ["delete to the end of the line", typed("one\ntwo"), ["up", "lineStart", "deleteRest"], "|\ntwo"],
  ["up keeps the column", typed("abc\nde"), ["up"], "ab|c\nde"],
  ["down past the end of a shorter line", typed("abc\nd"), ["up", "lineEnd", "down"], "abc\nd|"],
  ["up from the first line goes to its start", typed("abc"), ["up"], "|abc"],
] as const)("%s", (_, state, actions, expected) => {
  expect(marked(apply(state, ...actions))).toBe(expected);
});

test("a short paste is text; its carriage returns are line ends", () => {
  const state = editInput(typed("say: "), { type: "paste", text: "one\r\ntwo\rthree" });

  expect(state.text).toBe("say: one\ntwo\nthree");
});

test("a long paste folds to one character, is sent whole, and can be opened", () => {
  const long = Array.from({ length: 120 }, (_, i) => `line ${i}`).join("\n");
  const state = editInput(editInput(typed("look: "), { type: "paste", text: long }), { type: "insert", text: " ok" });

  expect(shownText(state).text).toBe("look: [120 lines] ok");
  expect(wholeText(state)).toBe(`look: ${long} ok`);
  expect(wholeText(apply(state, "left", "left", "left", "backspace"))).toBe("look:  ok");
  expect(wholeText(apply(state, "left", "left", "left", "openPaste"))).toBe(`look: ${long} ok`);
  expect(apply(state, "left", "left", "left", "openPaste").text).toContain("line 119");
});

test("two pastes keep apart", () => {
  const first = editInput(emptyInput, { type: "paste", text: "a\n".repeat(10) });
  const both = editInput(first, { type: "paste", text: "b\n".repeat(20) });

  expect(shownText(both).text).toBe("[11 lines][21 lines]");
  expect(wholeText(both)).toBe("a\n".repeat(10) + "b\n".repeat(20));
});

test("a paste of a megabyte takes no time that a person notices", () => {
  const began = performance.now();
  const state = editInput(emptyInput, { type: "paste", text: "x".repeat(1_000_000) });

  expect(shownText(state).text).toBe("[1000000 characters]");
  expect(performance.now() - began).toBeLessThan(200);
});

test("the edges of the text are known", () => {
  expect(isAtEdge(typed("one\ntwo"), "up")).toBe(false);
  expect(isAtEdge(typed("one\ntwo"), "down")).toBe(true);
});
