// Runs every example (`examples/NN-name.ts`, `examples/NN-name/main.ts`) and every sample of the reference
// (`examples/sdk/name.ts`), each in an empty folder with a separate home. Each must end with exit code 0, and print
// exactly what the `.out` file beside it holds. Their types are checked with the whole project's.
// `--write` writes the `.out` files; arguments choose: `--write sdk/state.ts`.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";
import { testEnvironment } from "./test-environment.ts";

const examples = join(import.meta.dir, "../examples");
const maxExampleMs = 60_000;

const isWriting = process.argv.includes("--write");
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

const names = [
  ...readdirSync(examples).filter((name) => /^\d\d-[\w-]+(\.ts)?$/.test(name)),
  ...readdirSync(join(examples, "sdk")).flatMap((name) => (name.endsWith(".ts") ? [join("sdk", name)] : [])),
]
  .filter((name) => chosen.length === 0 || chosen.includes(name))
  .sort();
if (names.length === 0) throw new Error("There is no such example to run in examples/.");

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
      timeoutMs: maxExampleMs,
    });
    if (isWriting && result.exitCode === 0) writeFileSync(expected, result.stdout);
    const problem = problemOf(result, expected);
    if (problem !== undefined) throw new Error(`Example ${name} ${problem}\n${result.stdout}${result.stderr}`);
    console.log(`${name} (${Math.round(performance.now() - started)} ms)`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function problemOf(result: { exitCode: number; stdout: string }, expected: string): string | undefined {
  if (result.exitCode !== 0) return `ended with exit code ${result.exitCode} (the limit is ${maxExampleMs / 1000} s):`;
  if (!existsSync(expected)) return undefined;
  const text = readFileSync(expected, "utf8");
  return result.stdout === text ? undefined : `must print this:\n${text}\nbut printed this:`;
}
