import { expect, test } from "bun:test";
import { fuzzyFilter } from "./search.ts";

const lines = ["fix the parser", "add a retry to the fetcher", "refactor", "parse dates"];

test("direct hits at a word's beginning come first, then inside, then scattered letters; the rest is left out", () => {
  expect(fuzzyFilter("parse", lines, (line) => line, 10)).toEqual(["parse dates", "fix the parser"]);
  expect(fuzzyFilter("rtry", lines, (line) => line, 10)).toEqual(["add a retry to the fetcher"]);
  expect(fuzzyFilter("", lines, (line) => line, 2)).toEqual(["fix the parser", "add a retry to the fetcher"]);
});
