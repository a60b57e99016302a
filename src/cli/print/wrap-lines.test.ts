import { expect, test } from "bun:test";
import { wrapLines } from "./wrap-lines.ts";

test("wrapLines breaks between words, and lets the rest of a line stand in further", () => {
  expect(wrapLines("Completed\n  worker (opus): $1.0000, 6.0k tokens in, 20 out", 30)).toBe(
    "Completed\n  worker (opus): $1.0000, 6.0k\n      tokens in, 20 out",
  );
});

test("wrapLines breaks no command and no id", () => {
  const id = "01234567-89ab-cdef-0123-456789abcdef";
  const line = `Resume with: atomic resume ${id} --max-cost USD`;
  expect(wrapLines(line, 40)).toBe(line);
  expect(wrapLines(`Paused Ralph session: ${id}`, 40)).toBe(`Paused Ralph session: ${id}`);
  expect(wrapLines(`See \`atomic sessions show ${id}\`, or ask.`, 40)).toBe(
    `See\n    \`atomic sessions show ${id}\`,\n    or ask.`,
  );
});

test("wrapLines counts columns, keeps a word that is too long, and leaves tiny terminals alone", () => {
  expect(wrapLines("日本語の文書 日本語の文書", 24)).toBe("日本語の文書\n    日本語の文書");
  expect(wrapLines(`a ${"x".repeat(50)} b`, 20)).toBe(`a\n    ${"x".repeat(50)}\n    b`);
  expect(wrapLines("one two three four five", 10)).toBe("one two three four five");
});
