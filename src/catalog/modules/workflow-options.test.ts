import { describe, expect, test } from "bun:test";
import { parseWorkflowOptions } from "./workflow-options.ts";

const on = { type: "boolean", default: true, description: "on" };
const off = { type: "boolean", description: "off" };

const fine: readonly object[] = [
  {},
  { a: on, b: off, "a-b": off, aC: { type: "number", description: "n", default: -1 } },
  { "no-color": off },
  { label: { type: "string", repeat: true, default: ["a"], description: "l" } },
];

describe("parseWorkflowOptions takes", () => {
  for (const options of fine) {
    test(JSON.stringify(options), () => {
      expect(parseWorkflowOptions(options)).toEqual({ options, faults: [] } as never);
    });
  }
});

const clashes: readonly [what: string, options: object, path: string, problem: string][] = [
  ["two spellings of one flag", { dryRun: off, "dry-run": off }, "options.dry-run", "options.dryRun"],
  ["an option and its opposite", { "no-color": off, color: off }, "options.color", "options.no-color"],
  ["an option and the way to switch it off", { color: on, "no-color": off }, "options.no-color", "options.color"],
  ["an option of every run", { maxCost: { type: "number", description: "x" } }, "options.maxCost", "--max-cost"],
  ["the opposite of an option of every run", { noJson: off }, "options.noJson", "--json"],
];

describe("parseWorkflowOptions refuses", () => {
  for (const [what, options, path, problem] of clashes) {
    test(what, () => {
      const { faults } = parseWorkflowOptions(options);
      expect(faults).toEqual([{ path, problem: expect.stringContaining(problem) }]);
    });
  }
});

test("a boolean may be on, off or left to the workflow", () => {
  const isolate = { type: "boolean", description: "apart", default: "auto" };
  expect(parseWorkflowOptions({ isolate }).options).toHaveProperty("isolate.default", "auto");
  expect(parseWorkflowOptions({ isolate: { ...isolate, default: "perhaps" } }).faults).toHaveLength(1);
});
