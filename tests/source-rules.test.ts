// House rules that a linter can't hold, because its own comments switch it off.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const projectRoot = join(import.meta.dir, "..");

function sources(...patterns: string[]): { file: string; text: string }[] {
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: projectRoot })]);
  return files
    .filter((file) => !file.includes("node_modules"))
    .map((file) => ({ file, text: readFileSync(join(projectRoot, file), "utf8") }));
}

test("no source file switches a lint rule or the compiler off", () => {
  const directive = /(?:\/\/|\/\*)\s*(?:(?:ox|es)lint-disable|@ts-nocheck|@ts-ignore|prettier-ignore|oxfmt-ignore)/;
  const all = sources(
    "src/**/*.{ts,tsx}",
    "tests/**/*.ts",
    "examples/**/*.ts",
    "scripts/**/*.{ts,js}",
    "bench/**/*.ts",
  );
  expect(all.length).toBeGreaterThan(20);
  const guilty = all.filter(({ text }) => directive.test(text)).map(({ file }) => file);

  // The proof of the lint rules spells such comments in its seeds.
  expect(guilty).toEqual(["scripts/check-lint-rules.ts"]);
});

test("every source file starts by saying what it owns", () => {
  const all = sources("src/**/*.{ts,tsx}", "scripts/**/*.ts").filter(
    ({ file }) => !/\.(test|type-test)\.tsx?$/.test(file),
  );
  expect(all.length).toBeGreaterThan(10);

  expect(all.filter(({ text }) => !/^(?:#!.*\n)?\/[/*]/.test(text)).map(({ file }) => file)).toEqual([]);
});

test("no file of the project holds a path of the machine it was written on, or a registry's address", () => {
  const all = sources("*.{json,md,toml}", "{src,tests,examples,scripts,docs,bin,bench,.ci}/**/*");
  const home = new RegExp(String.raw`/(?:root|home/\w+|Users/\w+)/|registry\.npmjs|"resolved"\s*:`);
  const guilty = all.filter(({ text }) => home.test(text)).map(({ file }) => file);

  expect(guilty).toEqual([]);
});

test("a name that is exported means one thing in all of src", () => {
  const places = new Map<string, Set<string>>();
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) ([A-Za-z_$][\w$]*)/gm;
  // The workflow that a template holds is a text, and so are those of tests.
  const all = sources("src/**/*.{ts,tsx}").filter(
    ({ file }) => !/\.(test|type-test)\.tsx?$/.test(file) && file !== "src/app/workflow-templates.ts",
  );
  for (const { file, text } of all)
    for (const [, name = ""] of text.matchAll(declared)) places.set(name, (places.get(name) ?? new Set()).add(file));
  expect(places.size).toBeGreaterThan(1000);

  expect([...places].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files])).toEqual([]);
});
