// Runs every example (`examples/NN-name.ts`, or `examples/NN-name/main.ts`) in an empty folder with a separate home.
// Each must end with exit code 0, and print exactly what `examples/NN-name.out` holds if that file exists.
// Their types are checked with the whole project's.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";
import { testEnvironment } from "./test-environment.ts";

const examples = join(import.meta.dir, "../examples");
const longestMs = 60_000;

const names = readdirSync(examples)
  .filter((name) => /^\d\d-[\w-]+(\.ts)?$/.test(name))
  .sort();
if (names.length === 0) throw new Error("There is no example to run in examples/.");

for (const name of names) await runExample(name);
console.log(`${names.length} examples ran`);

async function runExample(name: string): Promise<void> {
  const file = name.endsWith(".ts") ? join(examples, name) : join(examples, name, "main.ts");
  const expected = join(examples, `${name.replace(/\.ts$/, "")}.out`);
  const root = mkdtempSync(join(tmpdir(), "atomic-example-"));
  try {
    for (const folder of ["home", "tmp", "work"]) mkdirSync(join(root, folder));
    const started = performance.now();
    const result = await runCommand([process.execPath, "--no-env-file", "--no-install", file], {
      cwd: join(root, "work"),
      env: testEnvironment(root, process.env),
      timeoutMs: longestMs,
    });
    const problem = problemOf(result, expected);
    if (problem !== undefined) throw new Error(`Example ${name} ${problem}\n${result.stdout}${result.stderr}`);
    console.log(`${name} (${Math.round(performance.now() - started)} ms)`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function problemOf(result: { exitCode: number; stdout: string }, expected: string): string | undefined {
  if (result.exitCode !== 0) return `ended with exit code ${result.exitCode} (the limit is ${longestMs / 1000} s):`;
  if (!existsSync(expected)) return undefined;
  const text = readFileSync(expected, "utf8");
  return result.stdout === text ? undefined : `must print this:\n${text}\nbut printed this:`;
}
