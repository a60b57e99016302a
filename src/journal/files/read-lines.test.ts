import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJournalLines } from "./read-lines.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "atomic-lines-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function linesOf(content: string, from = 0, to = Buffer.byteLength(content)): [number, string][] {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const fd = openSync(path, "r");
  try {
    // Copied at once: the bytes of a line are valid until the next one is asked for.
    return Array.from(readJournalLines(fd, from, to), ({ start, bytes }) => [start, Buffer.from(bytes).toString()]);
  } finally {
    closeSync(fd);
  }
}

test("readLines gives each line with its newline and where it begins", () => {
  expect(linesOf("one\ntwo\n\nfour\n")).toEqual([
    [0, "one\n"],
    [4, "two\n"],
    [8, "\n"],
    [9, "four\n"],
  ]);
});

test("readLines gives a last line without a newline as it is", () => {
  expect(linesOf("one\ntw")).toEqual([
    [0, "one\n"],
    [4, "tw"],
  ]);
});

test("readLines keeps to its part of the file", () => {
  expect(linesOf("one\ntwo\nthree\n", 4, 8)).toEqual([[4, "two\n"]]);
  expect(linesOf("one\ntwo\n", 4, 6)).toEqual([[4, "tw"]]);
  expect(linesOf("one\n", 4, 4)).toEqual([]);
});

test("readLines ends where the file ends, even if more was asked for", () => {
  expect(linesOf("one\n", 0, 1000)).toEqual([[0, "one\n"]]);
});

test("readLines gives lines of any length, whatever its own pieces are", () => {
  const lengths = [1, 262_142, 262_143, 262_144, 262_145, 1_000_000, 3, 0, 700_000];
  const content = lengths.map((length, i) => `${String(i).repeat(length)}\n`).join("");
  expect(linesOf(content).map(([, line]) => line.length)).toEqual(lengths.map((length) => length + 1));
  expect(
    linesOf(content)
      .map(([, line]) => line)
      .join(""),
  ).toBe(content);
});
