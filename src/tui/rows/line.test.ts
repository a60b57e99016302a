import { expect, test } from "bun:test";
import { columnsOf, cut, cutLine, fit, fitRight, lineText, piece, rowsAround, spread, wrap, wrapLine } from "./line.ts";

test("texts are cut and filled by columns, wide characters and emoji included", () => {
  expect(cut("日本語のタスク", 7)).toBe("日本語…");
  expect(cut("👩‍👩‍👧 family", 4)).toBe("👩‍👩‍👧 …");
  expect(columnsOf(fit("日本", 7))).toBe(7);
  expect(fitRight("$1.92", 7)).toBe("  $1.92");
  expect(cut("abc", 0)).toBe("");
});

test("escapes and bidirectional marks never reach a line", () => {
  expect(cut("a\x1b[31mb\u202Ec\nd", 20)).toBe("a␛[31mb\u{fffd}c d");
});

test("a spread line keeps its right part whole", () => {
  const line = spread([piece("a long name that does not fit")], [piece("12s")], 16);

  expect(lineText(line)).toBe("a long nam…  12s");
  expect(lineText(cutLine([piece("ab  "), piece("cdef")], 6))).toBe("ab  c…");
});

test("a long text is broken between words, and the last line cut", () => {
  expect(wrap("one two three four five", 9, 5)).toEqual(["one two", "three", "four five"]);
  expect(wrap("one two three four five", 9, 2)).toEqual(["one two", "three fo…"]);
  expect(wrap("日本語の長い名前", 6, 2)).toEqual(["日本…"]);
});

test("a wrapped line keeps every character and its colours", () => {
  const rows = wrapLine([piece("abc", "muted"), piece("日本語def")], 4);

  expect(rows.map(lineText)).toEqual(["abc", "日本", "語de", "f"]);
  expect(rows[0]).toEqual([piece("abc", "muted")]);
});

test("a wrapped line is broken after a space, where one is near", () => {
  const text = "Other tasks of the same work, some of them at this moment";

  expect(wrapLine([piece(text)], 20).map(lineText)).toEqual([
    "Other tasks of the ",
    "same work, some of ",
    "them at this moment",
  ]);
  expect(wrapLine([piece("a abcdefghijklmnop")], 9).map(lineText)).toEqual(["a abcdefg", "hijklmnop"]);
  expect(wrapLine([piece("日本")], 1).map(lineText)).toEqual(["日", "本"]);
});

test("the rows around the chosen one fill the room", () => {
  expect(rowsAround(5, 4, 10)).toEqual([0, 5]);
  expect(rowsAround(100, 50, 10)).toEqual([45, 55]);
  expect(rowsAround(100, 99, 10)).toEqual([90, 100]);
});
