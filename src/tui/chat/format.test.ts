import { expect, test } from "bun:test";
import { diffParts, wrapText } from "./format.ts";

test("long lines are broken between words, and inside one that is too long", () => {
  expect(wrapText("one two three four\nshort", 10)).toBe("one two\nthree four\nshort");
  expect(wrapText("x".repeat(25), 10)).toBe(`${"x".repeat(10)}\n${"x".repeat(10)}\n${"x".repeat(5)}`);
});

test("what is broken off a description stays in its column", () => {
  expect(wrapText("  /ralph  Plans the work and does it", 22)).toBe(
    "  /ralph  Plans the\n          work and\n          does it",
  );
  expect(wrapText("  a line that is indented by two", 20)).toBe("  a line that is\n  indented by two");
});

test("lines of a change that belong together are one part", () => {
  expect(diffParts("- a\n- b\n+ c\nd")).toEqual([
    { sign: "-", lines: ["- a", "- b"] },
    { sign: "+", lines: ["+ c"] },
    { sign: " ", lines: ["d"] },
  ]);
});
