// The first hour itself: what is typed, and the expected output.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Newcomer, Typed } from "./newcomer.ts";
import { ralphScript } from "./ralph-script.ts";

interface Expected {
  readonly exitCode?: number;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
}

export async function playFirstHour(newcomer: Newcomer): Promise<void> {
  console.log(`\nThe first hour with ${newcomer.has}`);
  const { project } = newcomer;
  const atomic = async (words: readonly string[], expected: Expected): Promise<Typed> =>
    check(newcomer, words, await newcomer.type("atomic", ...words), expected);

  await atomic(["--version"], { stdout: /^\d+\.\d+\.\d+\n$/ });
  await atomic(["--help"], { stdout: /\n {2}run +Run a workflow\n/ });
  await atomic(["--licenses"], { stdout: "## Bun" });
  await atomic(["doctor"], { stdout: /^ok +atomic/ });
  await atomic(["init"], { stdout: ".atomic/workflows/hello.ts" });
  await atomic(["run", "hello", "Ada"], { stdout: "Hello, Ada. Your name has 3 letters." });
  await atomic(["run", "hello", "Zoë ✓"], { stdout: "Hello, Zoë ✓. Your name has 5 letters." });
  await atomic(["workflows"], { stdout: "Greets you and counts the letters of your name" });
  await atomic(["workflows", "validate", "hello"], { stdout: /^ok +hello/ });
  await atomic(["workflows", "graph", "hello"], { stdout: "greet" });
  writeFileSync(join(project, "empty-script.json"), '{ "version": 1, "turns": [] }\n');
  await atomic(["test", ".atomic/workflows/hello.ts", "--script", "empty-script.json"], { stdout: "✓" });

  const signs = { waiting: join(project, "..", "waiting"), proceed: join(project, "..", "continue") };
  writeFileSync(join(project, "script.json"), JSON.stringify(ralphScript(signs), null, 2));
  const ralph = ["ralph", "Write a poem", "-a", "scripted", "--script", "script.json"];
  const stopped = await newcomer.typeAndInterrupt(["atomic", ...ralph], () => existsSync(signs.waiting));
  check(newcomer, ralph, stopped, { exitCode: 130, stderr: "Resume with: atomic resume " });
  if (existsSync(join(project, "second.txt"))) fail(newcomer, ralph, stopped, "the second task was done before Ctrl+C");
  await atomic(["sessions"], { stdout: "paused" });

  writeFileSync(signs.proceed, "");
  await atomic(["resume"], { stdout: /2 of 2|completed/i });
  for (const name of ["first.txt", "second.txt"]) {
    const lines = readFileSync(join(project, name), "utf8");
    if (lines !== "one line\n") throw new Error(`${name} was written more or less than once: ${JSON.stringify(lines)}`);
  }
  const sessions = await atomic(["sessions"], { stdout: "completed" });
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(sessions.stdout)?.[0] ?? "";
  await atomic(["sessions", "show", id], { stdout: "Write a poem" });
  await atomic(["sessions", "rm", id], {});
  await atomic(["run", "no-such-workflow"], { exitCode: 2, stderr: "Workflow not found" });
}

function check(newcomer: Newcomer, words: readonly string[], typed: Typed, expected: Expected): Typed {
  const { exitCode = 0, stdout, stderr } = expected;
  if (typed.exitCode !== exitCode) fail(newcomer, words, typed, `exit code ${exitCode} was expected`);
  for (const [name, pattern] of Object.entries({ stdout, stderr })) {
    if (pattern === undefined) continue;
    const text = typed[name as "stdout" | "stderr"];
    const isThere = typeof pattern === "string" ? text.includes(pattern) : pattern.test(text);
    if (!isThere) fail(newcomer, words, typed, `${name} lacks ${String(pattern)}`);
  }
  // UTF-8 that was read as Latin-1 somewhere on its way.
  if (/[ÂÃâ][\u0080-\u00bf€]/.test(typed.stdout + typed.stderr)) fail(newcomer, words, typed, "its text is garbled");
  console.log(`  ok  atomic ${words.join(" ")}`);
  return typed;
}

function fail({ has }: Newcomer, words: readonly string[], typed: Typed, why: string): never {
  throw new Error(
    `With ${has}, \`atomic ${words.join(" ")}\`: ${why}.\nexit code ${typed.exitCode}\n` +
      `--- stdout\n${typed.stdout}--- stderr\n${typed.stderr}`,
  );
}
