import { expect, test } from "bun:test";
import { nearest } from "./did-you-mean.ts";
import { notFoundText } from "./not-found-text.ts";

const names = ["commit", "create-spec", "explain-code", "codebase-analyzer", "codebase-locator", "planner"];

const cases: [typed: string, expected: string | undefined][] = [
  ["comit", "commit"],
  ["COMMIT", "commit"],
  ["cmomit", "commit"],
  ["commits", "commit"],
  ["creat-spec", "create-spec"],
  ["codebase-ana", "codebase-analyzer"],
  ["plannner", "planner"],
  ["deploy", undefined],
  ["x", undefined],
  ["", undefined],
  ["c".repeat(5000), undefined],
];

for (const [typed, expected] of cases) {
  test(`nearest answers ${String(expected)} to ${JSON.stringify(typed.slice(0, 20))}`, () => {
    expect(nearest(typed, names)).toBe(expected);
  });
}

test("notFoundText asks only when something is near", () => {
  expect(notFoundText("Skill", "comit", names)).toBe('Skill not found: "comit" (did you mean "commit"?)');
  expect(notFoundText("Agent", "zebra", names)).toBe('Agent not found: "zebra"');
});

test("notFoundText contains no control sequences from a name", () => {
  expect(notFoundText("Skill", "\x1b[2J", names)).toBe('Skill not found: "␛[2J"');
});
