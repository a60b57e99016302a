import { expect, test } from "bun:test";
import { parseScript } from "./script-schema.ts";

const script = (steps: readonly unknown[], turn: object = {}): unknown => ({
  version: 1,
  turns: [{ steps: [] }, { ...turn, steps }],
});

const bad: readonly (readonly [string, unknown, RegExp])[] = [
  ["no object", 7, /the script: /],
  ["another version", { version: 2, turns: [] }, /version: must be 1/],
  ["no turns", { version: 1 }, /turns: /],
  ["an unknown key", { version: 1, turns: [], tunrs: [] }, /tunrs/],
  [
    "an unknown step",
    script([{ shout: "x" }]),
    /turns\[1\]\.steps\[0\]: a step is an object with one of think, say, write/,
  ],
  ["a step that is text", script(["say hello"]), /turns\[1\]\.steps\[0\]: a step is an object/],
  [
    "a wrong type deep inside",
    script([{ say: "x" }, { write: { path: 3, content: "x" } }]),
    /turns\[1\]\.steps\[1\]\.write\.path: /,
  ],
  ["a misspelt key of a step", script([{ bash: "ls", expects: 0 }]), /turns\[1\]\.steps\[0\]: .*expects/],
  ["an unknown failure", script([{ fail: { kind: "tired" } }]), /turns\[1\]\.steps\[0\]\.fail\.kind: /],
  ["a bad regular expression", script([], { match: "(" }), /turns\[1\]\.match: not a regular expression/],
  ["times of nothing", script([], { times: 0 }), /turns\[1\]\.times: /],
  ["a bad name for an answer", script([{ ask: { question: "x" }, as: "my colour" }]), /turns\[1\]\.steps\[0\]\.as: /],
  ["a wait of a week", script([{ waitMs: 7 * 86_400_000 }]), /turns\[1\]\.steps\[0\]\.waitMs: /],
];

for (const [name, value, expected] of bad) {
  test(`parseScript refuses ${name} and names the place`, () => {
    expect(() => parseScript(value, "a.json")).toThrow(
      expect.objectContaining({ code: "SCRIPT_INVALID", message: expect.stringMatching(expected) }),
    );
  });
}

test("parseScript names every fault at once", () => {
  const parse = (): unknown => parseScript(script([{ say: 1 }, { hang: false }]), "a.json");
  expect(parse).toThrow(/steps\[0\]\.say[\s\S]*steps\[1\]\.hang/);
});

test("parseScript takes every step of the format", () => {
  const steps = [
    { think: "x" },
    { say: "x" },
    { write: { path: "a", content: "b" } },
    { bash: "true", expect: 0, as: "out" },
    { ask: { question: "q", options: ["a"], freeText: false }, as: "a" },
    { tool: { name: "t", input: { deep: [1, null] } }, as: "t" },
    { subagent: { agent: "a", prompt: "p" } },
    { subagent: [{ agent: "a", prompt: "p" }] },
    { waitMs: 0 },
    { usage: { inputTokens: 1 } },
    { model: "m" },
    { fail: { kind: "auth", message: "m", resetInMs: 1, retryable: true } },
    { hang: true },
    { crash: 1 },
  ];
  expect(parseScript(script(steps, { agent: "a", task: "1", match: "x", times: 1 }), "a.json").turns[1]?.steps).toEqual(
    steps as never,
  );
});
