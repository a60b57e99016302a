import { expect, test } from "bun:test";
import { columnsOf, cut, cutLine, fit, fitRight, lineText, piece, rowsAround, spread } from "./line.ts";

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

test("the rows around the chosen one fill the room", () => {
  expect(rowsAround(5, 4, 10)).toEqual([0, 5]);
  expect(rowsAround(100, 50, 10)).toEqual([45, 55]);
  expect(rowsAround(100, 99, 10)).toEqual([90, 100]);
});
