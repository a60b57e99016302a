import { describe, expect, test } from "bun:test";
import type { DeclaredOptions } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { parseWorkflowWords, workflowHelp, type WorkflowUsage } from "./workflow-words.ts";

const run = {
  agent: { type: "string", short: "a", value: "AGENT", description: "the agent" },
  json: { type: "boolean", description: "print JSON" },
  "max-cost": { type: "number", value: "USD", description: "stop at" },
  verify: { type: "string", repeat: true, description: "check" },
  "no-questions": { type: "boolean", description: "ask no questions" },
  resume: { type: "string", value: "ID", description: "resume" },
} as const satisfies DeclaredOptions;

const build: WorkflowUsage = {
  name: "build",
  description: "Builds things",
  options: {
    depth: { type: "number", default: 2, description: "How deep" },
    dryRun: { type: "boolean", description: "Change nothing" },
    label: { type: "string", repeat: true, description: "Labels" },
  },
};
const parse = (words: string, workflow = build) => parseWorkflowWords(workflow, words.split(" ").filter(Boolean), run);

test("options of the workflow and of the run come in any order, around the prompt", () => {
  const words = [
    "--depth",
    "5",
    "-a",
    "claude",
    "fix the bug",
    "--label=x",
    "--json",
    "--label",
    "y",
    "--verify",
    "npm test",
  ];
  expect(parseWorkflowWords(build, words, run)).toEqual({
    options: { depth: 5, dryRun: false, label: ["x", "y"] },
    run: {
      agent: "claude",
      json: true,
      "max-cost": undefined,
      verify: ["npm test"],
      "no-questions": false,
      resume: undefined,
    },
    prompt: "fix the bug",
    isHelp: false,
  });
});

test("words that were not quoted are one prompt", () => {
  expect(parse("fix the bug --dry-run").prompt).toBe("fix the bug");
  expect(parse("-- --depth is my prompt").prompt).toBe("--depth is my prompt");
});

describe("a prompt", () => {
  const uses: readonly [WorkflowUsage["prompt"], string, string | undefined][] = [
    ["required", "", "Please provide a prompt for the build workflow."],
    [undefined, "", "Please provide a prompt for the build workflow."],
    ["required", "x", undefined],
    ["optional", "", undefined],
    ["optional", "x", undefined],
    ["none", "", undefined],
    ["none", "x", "takes no prompt"],
    ["required", "--resume a1", undefined],
  ];
  for (const [use, words, problem] of uses) {
    test(`that is ${use ?? "not declared"}, given "${words}", is ${problem === undefined ? "fine" : "refused"}`, () => {
      const call = () => parse(words, { ...build, prompt: use });
      if (problem === undefined) expect(call).not.toThrow();
      else expect(call).toThrow(problem);
    });
  }
});

test("what was not declared is refused, with the nearest option and the way to help", () => {
  let thrown: unknown;
  try {
    parse("x --dpeth 3");
  } catch (error) {
    thrown = error;
  }
  expect(AtomicError.is(thrown, "USAGE")).toBe(true);
  expect(String(thrown)).toContain("--dpeth");
  expect(String(thrown)).toContain("atomic run build --help");
});

test("--help wins over everything but the end of options", () => {
  expect(parse("--nonsense --help").isHelp).toBe(true);
  expect(parse("x -h").isHelp).toBe(true);
  expect(parse("-- --help").isHelp).toBe(false);
});

test("help lists the workflow's own options, then those of every run", () => {
  expect(workflowHelp(build, { json: run.json, agent: run.agent })).toBe(
    [
      "Usage: atomic run build PROMPT [options]",
      "",
      "Builds things",
      "",
      "Options of build:",
      "  --depth N     How deep (default 2)",
      "  --dry-run     Change nothing",
      "  --label TEXT  Labels (repeatable)",
      "",
      "Options of every run:",
      "  --json             print JSON",
      "  -a, --agent AGENT  the agent",
      "  -h, --help         print this help",
    ].join("\n"),
  );
  expect(workflowHelp({ name: "n", description: "d", prompt: "none" }, {})).toContain("Usage: atomic run n [options]");
});
