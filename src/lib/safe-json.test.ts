import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { safeJson, safeJsonItem, safeJsonWithLists } from "./safe-json.ts";

test("safeJson leaves nothing in the text that could control a terminal, and keeps the value", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCodePoint(code)).join("");
  const value = { title: `${controls}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{2029}\u{feff}\u{d800} é 漢 😀` };

  expect(safeJson(value)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u{2028}\u{2029}\u{feff}]/u);
  expect(safeJson(value)).toContain("é 漢 😀");
  expect(JSON.parse(safeJson(value))).toEqual(value);
  expect(JSON.parse(safeJson(value, 2))).toEqual(value);
  expect(safeJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
});

test("safeJsonWithLists writes what safeJson writes for the whole object", () => {
  const texts = fc.constantFrom('\n  "items": []', "\u{9b}31m", "a\nb", '"items": []', "\u{2028}", "plain");
  const item = fc.dictionary(fc.string(), fc.oneof(texts, fc.jsonValue()));
  fc.assert(
    fc.property(item, item, fc.array(item, { maxLength: 4 }), (before, after, items) => {
      const names = Object.keys(after);
      const whole = { before, text: '\n  "items": []', items, nested: { items: [] }, names };
      const lists = { items: items.map(safeJsonItem), names: names.map(safeJsonItem) };
      expect(safeJsonWithLists({ ...whole, items: [], names: [] }, lists)).toBe(safeJson(whole, 2));
    }),
  );
});
