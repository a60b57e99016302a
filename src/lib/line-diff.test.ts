import { expect, test } from "bun:test";
import { array, assert, constantFrom, property } from "fast-check";
import { diffLines, shortDiff } from "./line-diff.ts";

test("diffLines gives back both texts, whatever they are", () => {
  const text = array(constantFrom("a", "b", "c", ""), { maxLength: 12 });
  assert(
    property(text, text, (a, b) => {
      const lines = diffLines(a.join("\n"), b.join("\n"));
      const without = (sign: string): string[] => lines.filter((line) => line.sign !== sign).map((line) => line.text);
      expect(without("+").join("\n")).toBe(a.join("\n"));
      expect(without("-").join("\n")).toBe(b.join("\n"));
    }),
  );
});

test("diffLines finds a small change in a large text", () => {
  const before = Array.from({ length: 20_000 }, (_, i) => `line ${i}`);
  const after = before.with(9_000, "changed");
  const changes = diffLines(before.join("\n"), after.join("\n")).filter((line) => line.sign !== " ");
  expect(changes).toEqual([
    { sign: "-", text: "line 9000" },
    { sign: "+", text: "changed" },
  ]);
});

test("shortDiff shows what changed with its surroundings and says where lines were left out", () => {
  const before = "1\n2\n3\n4\n5\n6\n7";
  expect(shortDiff(before, before.replace("4", "four"), 1)).toEqual(["…", "  3", "- 4", "+ four", "  5", "…"]);
  expect(shortDiff(before, before)).toEqual([]);
});
