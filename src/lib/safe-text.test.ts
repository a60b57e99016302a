import { expect, test } from "bun:test";
import { assert, property, string } from "fast-check";
import { safeLine, safeText } from "./safe-text.ts";

const cases: [what: string, input: string, expected: string][] = [
  ["plain text", "héllo 你好 👩‍👩‍👧", "héllo 你好 👩‍👩‍👧"],
  ["tabs and newlines", "a\tb\nc\r\nd", "a\tb\nc\nd"],
  ["a colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
  ["a window title", "\x1b]0;owned\x07", "␛]0;owned␇"],
  ["a hyperlink", "\x1b]8;;http://x\x1b\\y", "␛]8;;http://x␛\\y"],
  ["an eight-bit CSI", "\u{9b}31mred", "\u{fffd}31mred"],
  ["a lone carriage return", "safe\rrm -rf", "safe␍rm -rf"],
  ["a backspace and a delete", "a\bb\x7f", "a␈b␡"],
  ["a right-to-left override", "gpj.\u{202e}exe", "gpj.\u{fffd}exe"],
  ["bidirectional isolates", "\u{2066}a\u{2069}", "\u{fffd}a\u{fffd}"],
  ["a lone surrogate", "a\ud800b", "a\u{fffd}b"],
  ["a byte order mark", "\u{feff}a", "\u{fffd}a"],
  ["a null", "a\0b", "a␀b"],
];

for (const [what, input, expected] of cases) {
  test(`safeText neutralises or keeps ${what}`, () => {
    expect(safeText(input)).toBe(expected);
  });
}

test("safeText leaves nothing that controls a terminal, for any input", () => {
  assert(
    property(string({ unit: "binary" }), (text) => {
      const codes = Array.from(safeText(text)).map((character) => character.codePointAt(0) ?? 0);
      expect(codes.every((code) => code === 9 || code === 10 || (code >= 32 && (code < 127 || code > 159)))).toBe(true);
    }),
  );
});

test("safeText changes the controls, bidirectional controls and surrogates of Unicode, and few others", () => {
  const isUnsafe = /[\p{Cc}\p{Bidi_Control}\p{Cs}\u{2028}\u{2029}\u{feff}]/u;
  const all = Array.from({ length: 0x11_00_00 }, (_, code) => String.fromCodePoint(code));
  const expected = all.filter((character) => isUnsafe.test(character) && character !== "\t" && character !== "\n");
  expect(all.filter((character) => safeText(character) !== character)).toEqual(expected);
});

test("safeLine makes one line and cuts it without splitting a character", () => {
  expect(safeLine("one\n\n two\tthree ")).toBe("one two three");
  expect(safeLine(" one  two")).toBe("one two");
  expect(safeLine("one two\n")).toBe("one two");
  expect(safeLine("👩".repeat(30), 10)).toBe(`${"👩".repeat(9)}…`);
  expect(safeLine("x".repeat(5_000_000), 5)).toBe("xxxx…");
});
