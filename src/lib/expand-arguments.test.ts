import { expect, test } from "bun:test";
import { expandArguments } from "./expand-arguments.ts";

const cases: [prompt: string, typed: string, expected: string][] = [
  ["Fix: $ARGUMENTS", "the bug", "Fix: the bug"],
  ["$ARGUMENTS and $ARGUMENTS", "x", "x and x"],
  ["Fix: $ARGUMENTS", "", "Fix: [no arguments provided]"],
  ["Fix: $ARGUMENTS", "  \n", "Fix: [no arguments provided]"],
  ["Fix: $ARGUMENTS", "$& $1 $$ $ARGUMENTS", "Fix: $& $1 $$ $ARGUMENTS"],
  ["Fix it.", "now", "Fix it.\n\nArguments: now"],
  ["Fix it.", "", "Fix it."],
];

for (const [prompt, typed, expected] of cases) {
  test(`expandArguments makes ${JSON.stringify(expected)}`, () => {
    expect(expandArguments(prompt, typed)).toBe(expected);
  });
}
