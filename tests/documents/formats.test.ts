// Every sample of docs/formats.md is what the program reads.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseScript } from "../../src/agents/scripted/script-schema.ts";
import { parseTaskList } from "../../src/tasks/task-file.ts";
import { answerOf } from "../../src/workflows/ralph/find-json.ts";
import { parsePlan, parseReview } from "../../src/workflows/ralph/parse-answers.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/formats.md"), "utf8");
const samples = [...page.matchAll(/^```json (\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = "", text = ""]) => ({
  kind,
  text,
}));

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  tasks: (text) => parseTaskList(text, "sample"),
  plan: (text) => expect(parsePlan(answerOf(text))).toHaveProperty("value"),
  review: (text) => expect(parseReview(answerOf(text))).toHaveProperty("value"),
  script: (text) => parseScript(JSON.parse(text), "sample"),
};

test("the page has samples of every format", () => {
  expect([...new Set(samples.map(({ kind }) => kind))].toSorted()).toEqual(Object.keys(readers).toSorted());
});

test.each(samples)("a sample of $kind is read", ({ kind, text }) => {
  expect(() => readers[kind]?.(text)).not.toThrow();
});

test("the script of docs/agents.md, which has every kind of step, is read", () => {
  const agents = readFileSync(join(import.meta.dir, "../../docs/agents.md"), "utf8");
  const [, text = ""] = /^```jsonc\n([\s\S]*?)^```$/m.exec(agents) ?? [];
  const script = parseScript(Bun.JSONC.parse(text), "docs/agents.md");
  const kinds = script.turns.flatMap(({ steps }) => steps).map((step) => Object.keys(step)[0] ?? "");

  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds.length).toBeGreaterThan(10);
});
