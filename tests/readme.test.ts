// What README.md shows works: its programs print what it says. Programs on all pages compile.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBlocks } from "../scripts/documents/blocks.ts";
import { runCommand } from "../scripts/run-command.ts";

const projectRoot = join(import.meta.dir, "..");
const readme = readFileSync(join(projectRoot, "README.md"), "utf8");
const samples = [...readme.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, code = "", output = ""]) => ({ code, output }),
);

// A temporary folder in which the package's name leads to this checkout.
const folder = mkdtempSync(join(tmpdir(), "atomic-readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { compilerOptions } = Bun.JSONC.parse(readFileSync(join(projectRoot, "tsconfig.json"), "utf8")) as {
  compilerOptions: { paths: Record<string, string[]> };
};
const paths = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([name, files]) => [name, files.map((file) => join(projectRoot, file))]),
);
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({
    extends: join(projectRoot, "tsconfig.json"),
    compilerOptions: { paths, typeRoots: [join(projectRoot, "node_modules/@types")] },
    // The built-in agents and skills are markdown that is imported as text.
    include: ["*.ts", join(projectRoot, "src/catalog/builtin/*.d.ts")],
  }),
);
samples.forEach(({ code }, i) => writeFileSync(join(folder, `sample-${i}.ts`), `${code}\nexport {};\n`));

// Files that a page names are checked where they are saved (tests/documents/pages.test.ts), the reference's with
// examples.
const programs = ["*.md", "docs/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: projectRoot })])
  .flatMap((page) => readBlocks(readFileSync(join(projectRoot, page), "utf8")))
  .filter(({ language, file }) => language === "ts" && file === undefined);
programs.forEach(({ text }, i) => writeFileSync(join(folder, `page-${i}.ts`), `${text}\nexport {};\n`));

test("every program in README.md prints what stands below it", async () => {
  expect(samples.length).toBeGreaterThan(0);
  for (const [i, { output }] of samples.entries()) {
    const run = await runCommand([process.execPath, "--no-install", join(folder, `sample-${i}.ts`)], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder },
    });
    expect(run).toEqual({ exitCode: 0, stdout: output, stderr: "" });
  }
});

test("every program in README.md and docs/ compiles", async () => {
  expect(programs.length).toBeGreaterThan(2);
  const run = await runCommand([join(projectRoot, "node_modules/.bin/tsc"), "-p", folder, "--noEmit"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  expect(run).toEqual({ exitCode: 0, stdout: "", stderr: "" });
}, 120_000);
