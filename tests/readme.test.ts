// What README.md shows works: its programs compile and print what it says, its commands exist.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../scripts/run-command.ts";

const projectRoot = join(import.meta.dir, "..");
const readme = readFileSync(join(projectRoot, "README.md"), "utf8");
const samples = [...readme.matchAll(/```ts\n([\s\S]*?)```\n\n```\n([\s\S]*?)```/g)].map(
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

test("every program in README.md compiles", async () => {
  const run = await runCommand([join(projectRoot, "node_modules/.bin/tsc"), "-p", folder, "--noEmit"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  expect(run).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});

test("every npm command in README.md exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  // `npm run NAME`, and npm's own command that runs a script of its name.
  const names = [...readme.matchAll(/npm (?:run ([\w:-]+)|(test)\b)/g)].map(([, run, own]) => run ?? own ?? "");

  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
});
