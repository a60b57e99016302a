// docs/errors.md and the list of codes describe the same errors.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodes } from "../src/lib/errors.ts";

const page = readFileSync(join(import.meta.dir, "../docs/errors.md"), "utf8");
const entries = new Map(
  [...page.matchAll(/^### (\S+)\n([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, code = "", text = ""]) => [code, text]),
);

test("docs/errors.md has an entry for every code", () => {
  expect(errorCodes.filter((code) => !entries.has(code))).toEqual([]);
});

test("docs/errors.md has no entry for a code that does not exist", () => {
  const known: ReadonlySet<string> = new Set(errorCodes);
  expect([...entries.keys()].filter((code) => !known.has(code))).toEqual([]);
});

test("docs/errors.md says for every code what happened and what to do", () => {
  const complete = /^\n\*\*What happened\.\*\* \S[\s\S]*\n\n\*\*What to do\.\*\* \S/;
  expect([...entries].filter(([, text]) => !complete.test(text)).map(([code]) => code)).toEqual([]);
});

test("the list of codes has no code twice", () => {
  expect([...new Set(errorCodes)]).toEqual([...errorCodes]);
});

test("every code of the list is used by the program", () => {
  const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync({ cwd: join(import.meta.dir, "..") })]
    .filter((file) => file !== "src/lib/errors.ts" && !/\.(test|type-test)\.tsx?$/.test(file))
    .map((file) => readFileSync(join(import.meta.dir, "..", file), "utf8"))
    .join("\n");

  expect(errorCodes.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
});
