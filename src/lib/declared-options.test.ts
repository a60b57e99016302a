import { describe, expect, test } from "bun:test";
import { argumentHint, optionLines, type DeclaredOptions } from "./declared-options.ts";
import { parseWords } from "./parse-options.ts";
import { AtomicError } from "./errors.ts";

const options = {
  depth: { type: "number", description: "How deep", default: 3 },
  dryRun: { type: "boolean", description: "Change nothing" },
  review: { type: "boolean", description: "Review the work", default: true },
  "no-cache": { type: "boolean", description: "Read everything again" },
  tag: { type: "string", description: "A tag", repeat: true, default: ["all"] },
  port: { type: "number", description: "A port", repeat: true },
  agent: { type: "string", description: "The agent", short: "a", value: "NAME" },
  level: { type: "string", description: "How loud", choices: ["low", "high"] },
  apart: { type: "boolean", description: "Apart", default: "auto" },
} as const satisfies DeclaredOptions;

const defaults = {
  depth: 3,
  dryRun: false,
  review: true,
  "no-cache": false,
  tag: ["all"],
  port: undefined,
  agent: undefined,
  level: undefined,
  apart: "auto",
};

function parse(...words: string[]): ReturnType<typeof parseWords> {
  return parseWords(words, options, "atomic run x");
}

const good: readonly { words: string[]; values?: object; rest?: string[] }[] = [
  { words: [] },
  { words: ["a prompt", "more"], rest: ["a prompt", "more"] },
  { words: ["--depth", "5", "p"], values: { depth: 5 }, rest: ["p"] },
  { words: ["p", "--depth=-2.5"], values: { depth: -2.5 }, rest: ["p"] },
  { words: ["--dry-run", "p"], values: { dryRun: true }, rest: ["p"] },
  { words: ["--no-review"], values: { review: false } },
  { words: ["--apart"], values: { apart: true } },
  { words: ["--no-apart"], values: { apart: false } },
  { words: ["--no-cache"], values: { "no-cache": true } },
  { words: ["--tag", "x", "p", "--tag=y"], values: { tag: ["x", "y"] }, rest: ["p"] },
  { words: ["--port", "1", "--port", "2"], values: { port: [1, 2] } },
  { words: ["-a", "claude"], values: { agent: "claude" } },
  { words: ["--agent", ""], values: { agent: "" } },
  { words: ["--level", "high"], values: { level: "high" } },
  { words: ["--", "--depth", "-x"], rest: ["--depth", "-x"] },
  { words: ["--depth", "1", "--depth", "2"], values: { depth: 2 } },
];

describe("parseWords reads", () => {
  for (const { words, values = {}, rest = [] } of good) {
    test(words.join(" ") || "nothing", () => {
      expect(parse(...words)).toEqual({ values: { ...defaults, ...values }, rest });
    });
  }

  test("two command lines without mixing them up", () => {
    expect(parse("--tag", "x").values["tag"]).toEqual(["x"]);
    expect(parse("--tag", "y").values["tag"]).toEqual(["y"]);
  });
});

const bad: readonly { words: string[]; says: string[] }[] = [
  { words: ["--dept", "5"], says: ["--dept", "Did you mean --depth?", "atomic run x --help"] },
  { words: ["--depth"], says: ["--depth", "missing"] },
  { words: ["--depth", "deep"], says: ["--depth", "'deep'", "must be a number"] },
  { words: ["--depth="], says: ["must be a number"] },
  { words: ["--depth", "Infinity"], says: ["must be a number"] },
  { words: ["--level", "loud"], says: ["one of low, high"] },
  { words: ["-z"], says: ["-z"] },
  { words: ["--__proto__", "x"], says: ["__proto__"] },
  { words: ["--\u001b[31mred"], says: ["[31mred"] },
];

describe("parseWords refuses", () => {
  for (const { words, says } of bad) {
    test(JSON.stringify(words), () => {
      const failure = thrownBy(() => parse(...words));
      expect(AtomicError.is(failure, "USAGE")).toBe(true);
      for (const text of says) expect(String(failure)).toContain(text);
      expect(String(failure)).not.toContain("\u001b");
    });
  }
});

test("help shows how an option is typed, what it means and what it defaults to", () => {
  const { dryRun, agent, depth, tag, level } = options;
  expect(optionLines({ dryRun, agent, depth, tag, level })).toBe(
    [
      "  --dry-run         Change nothing",
      "  -a, --agent NAME  The agent",
      "  --depth N         How deep (default 3)",
      "  --tag TEXT        A tag (repeatable; default all)",
      "  --level TEXT      How loud (one of low, high)",
    ].join("\n"),
  );
  expect(optionLines({})).toBe("");
});

test("the hint names the prompt and every option", () => {
  const { depth, dryRun, tag, agent } = options;
  expect(argumentHint("required", { depth, dryRun })).toBe("<prompt> [--depth N] [--dry-run]");
  expect(argumentHint("optional", { tag })).toBe("[prompt] [--tag TEXT]…");
  expect(argumentHint("none", { agent })).toBe("[--agent NAME]");
});

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}
