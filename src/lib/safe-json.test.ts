import { expect, test } from "bun:test";
import { safeJson } from "./safe-json.ts";

test("safeJson leaves nothing in the text that could drive a terminal, and the value as it was", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCodePoint(code)).join("");
  const value = { title: `${controls}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{2029}\u{feff}\u{d800} é 漢 😀` };

  expect(safeJson(value)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u{2028}\u{2029}\u{feff}]/u);
  expect(safeJson(value)).toContain("é 漢 😀");
  expect(JSON.parse(safeJson(value))).toEqual(value);
  expect(JSON.parse(safeJson(value, 2))).toEqual(value);
  expect(safeJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
});
