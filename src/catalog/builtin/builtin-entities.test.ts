import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseMarkdown } from "../markdown/markdown-document.ts";
import { builtinEntities } from "./builtin-entities.ts";

const skills: [name: string, hint: string, aliases?: readonly string[]][] = [
  ["research-codebase", "<question or topic>", ["research"]],
  ["create-spec", "<research-doc-path>"],
  ["create-feature-list", "<spec-path>"],
  ["implement-feature", "[feature-id]"],
  ["commit", "[message] | --amend", ["ci"]],
  ["create-gh-pr", "[title]"],
  ["explain-code", "<file-path> [function-name]"],
];

const agents = [
  "codebase-analyzer",
  "codebase-locator",
  "codebase-pattern-finder",
  "codebase-online-researcher",
  "codebase-research-analyzer",
  "codebase-research-locator",
  "debugger",
  "planner",
  "worker",
  "reviewer",
];

test("builtinEntities has the seven skills and ten agents of the contract and nothing else", () => {
  const names = builtinEntities().map((entity) => `${entity.type} ${entity.name}`);
  expect(names).toEqual([...skills.map(([name]) => `skill ${name}`), ...agents.map((name) => `agent ${name}`)]);
});

test("every markdown file of the built-ins is one of them", () => {
  const files = ["skills", "agents"].flatMap((folder) => readdirSync(join(import.meta.dir, folder)));
  expect(files).toHaveLength(builtinEntities().length);
});

for (const [name, hint, aliases] of skills) {
  test(`the skill ${name} takes arguments and hints at them`, () => {
    const skill = builtinEntities().find((entity) => entity.name === name);
    expect(skill?.argumentHint).toBe(hint);
    expect(skill?.aliases).toEqual(aliases as never);
    expect(skill?.prompt).toContain("$ARGUMENTS");
  });
}

describe("every built-in prompt", () => {
  for (const folder of ["skills", "agents"]) {
    for (const file of readdirSync(join(import.meta.dir, folder))) {
      test(`${folder}/${file} says what to do, what not to do, and when to stop`, () => {
        const document = parseMarkdown(readFileSync(join(import.meta.dir, folder, file), "utf8"));
        expect(document.notes).toEqual([]);
        expect(document.frontmatter["name"]).toBe(file.replace(/\.md$/, ""));
        expect(document.frontmatter["description"]).toMatch(/.{40}/);
        expect(document.body).toMatch(/^## What to do$/m);
        expect(document.body).toMatch(/^## What not to do$/m);
        expect(document.body).toMatch(/^## When to stop$/m);
      });
    }
  }
});

// The answers that ralph parses are asked for by its own prompts, so that a project may replace these agents.
test("the agents of ralph's roles ask for no format that a program parses", () => {
  for (const name of ["planner", "worker", "reviewer"]) {
    const agent = builtinEntities().find((entity) => entity.type === "agent" && entity.name === name);
    expect(agent?.prompt).not.toMatch(/json|"verdict"|"tasks"/i);
    expect(agent?.model).toBeUndefined();
  }
});
