// examples/README.md lists every example, and pages and examples link to each other.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { topics } from "../../scripts/sdk-document/topics.ts";

const examples = join(import.meta.dir, "../../examples");
const docs = join(import.meta.dir, "../../docs");
const page = readFileSync(join(examples, "README.md"), "utf8");
const names = readdirSync(examples)
  .filter((name) => /^\d\d-.*\.ts$/.test(name))
  .toSorted();

test("examples/README.md links every example and a page that explains it, and each has its output", () => {
  const rows = new Map([...page.matchAll(/^\| \[(\S+\.ts)\]\((\S+)\).*$/gm)].map(([row, name = ""]) => [name, row]));
  expect([...rows.keys()]).toEqual(names);
  for (const [name, row] of rows) {
    expect(row).toContain("](../docs/");
    expect(existsSync(join(examples, name.replace(/\.ts$/, ".out")))).toBe(true);
  }
});

test("every example is linked from a page of docs/", () => {
  const text = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(docs, name), "utf8"))
    .join("\n");
  expect(names.filter((name) => !text.includes(`examples/${name})`))).toEqual([]);
});

test("every sample of the reference belongs to a page, and the other way round", () => {
  const samples = readdirSync(join(examples, "sdk")).filter((name) => name.endsWith(".ts"));
  expect(samples.toSorted()).toEqual(topics.map(({ name }) => `${name}.ts`).toSorted());
});
