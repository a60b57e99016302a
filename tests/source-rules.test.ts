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

test("no message of a store names a command of the command line", () => {
  const commands = [
    ...readFileSync(join(projectRoot, "src/cli/command-tree.ts"), "utf8").matchAll(/name: "([\w-]+)"/g),
  ];
  expect(commands.length).toBeGreaterThan(10);
  const named = new RegExp(`\\batomic (?:${commands.map(([, name]) => name).join("|")})\\b|--take-over`);
  const stores = sources("src/journal/**/*.ts").filter(({ file }) => !file.endsWith(".test.ts"));
  expect(stores.length).toBeGreaterThan(20);

  expect(stores.filter(({ text }) => named.test(text)).map(({ file }) => file)).toEqual([]);
});
