// The JavaScript of the package, bundled as for the tarball: what it asks an install for, and how it is written.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { bundlePackage } from "../../scripts/bundle-package.ts";

const folder = mkdtempSync(join(tmpdir(), "atomic-bundle-"));
const files = new Map<string, string>();
beforeAll(async () => {
  await bundlePackage(folder);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".js")) files.set(name, readFileSync(join(folder, name), "utf8"));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the bundle imports nothing but built-in modules and what an install brings", () => {
  const declared = new Set(Object.keys(manifest.dependencies));
  // The screen is the program's alone: a library never asks for it.
  const ofTheProgram = new Set(Object.keys(manifest.optionalDependencies));
  const isDeclared = (name: string, packageName: string): boolean =>
    declared.has(packageName) || (name.startsWith("program/") && ofTheProgram.has(packageName));
  const transpiler = new Bun.Transpiler({ loader: "js" });
  const packages = [...files].flatMap(([name, text]) =>
    transpiler
      .scanImports(text)
      .map(({ path }) => path)
      .filter((path) => !path.startsWith(".") && !isBuiltin(path) && !path.startsWith("bun:"))
      .map((path) => ({ name, path, packageName: /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path })),
  );

  expect(files.size).toBeGreaterThan(50);
  expect(packages.map(({ packageName }) => packageName)).toContain("zod");
  expect(packages.filter(({ name, packageName }) => !isDeclared(name, packageName))).toEqual([]);
});

test("the bundle is ASCII, because Bun reads a file that starts with // @bun as Latin-1", () => {
  expect([...files].filter(([, text]) => /[^\0-\x7f]/.test(text)).map(([name]) => name)).toEqual([]);
  expect([...files].filter(([, text]) => !text.startsWith("// @bun\n")).map(([name]) => name)).toEqual([]);
  expect([...files.values()].some((text) => text.includes("\\u2026"))).toBe(true);
});

test("the entries for runtimes with files bring checkpoints and task files", () => {
  expect(files.get("graph-with-files.js")).toContain("\nprovideTaskFiles(");
  expect(files.get("workflows.js")).toContain('import "./graph-with-files.js"');
});

test("importing the engine loads two files and no built-in module", () => {
  const loaded = new Set(["graph-with-files.js"]);
  for (const name of loaded) {
    for (const path of staticImports(files.get(name) ?? ""))
      loaded.add(path.startsWith(".") ? join(name, "..", path) : path);
  }

  expect([...loaded]).toEqual(["graph-with-files.js", expect.stringMatching(/^shared\/graph-[^/]+$/)]);
});

function staticImports(text: string): readonly string[] {
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(text);
  return imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
}
