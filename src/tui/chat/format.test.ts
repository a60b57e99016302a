import { expect, test } from "bun:test";
import { diffParts, wrapText } from "./format.ts";

test("long lines are broken between words, and inside one that is too long", () => {
  expect(wrapText("one two three four\nshort", 10)).toBe("one two\nthree four\nshort");
  expect(wrapText("x".repeat(25), 10)).toBe(`${"x".repeat(10)}\n${"x".repeat(10)}\n${"x".repeat(5)}`);
});

test("lines of a change that belong together are one part", () => {
  expect(diffParts("- a\n- b\n+ c\nd")).toEqual([
    { sign: "-", lines: ["- a", "- b"] },
    { sign: "+", lines: ["+ c"] },
    { sign: " ", lines: ["d"] },
  ]);
});
