// What `npm test` prints and counts, on its own test files in a temporary folder.

import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestProgress } from "../scripts/test-progress.ts";

const projectRoot = join(import.meta.dir, "..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "atomic-npm-test-")));
const good = testFile(
  "good",
  `test("adds", () => expect(1 + 1).toBe(2));\ntest("subtracts", () => expect(1 - 1).toBe(0));`,
);
const bad = testFile("bad", `test("holds", () => {});\ntest("breaks", () => expect({ a: 1 }).toEqual({ a: 2 }));`);

function testFile(name: string, tests: string): string {
  const file = join(folder, `${name}.test.ts`);
  writeFileSync(file, `import { expect, test } from "bun:test";\n${tests}\n`);
  return file;
}

function npmTest(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env["PATH"], TMPDIR: folder, ATOMIC_TEST_PROGRAM: "unused", ...environment };
  const run = Bun.spawnSync([process.execPath, "--no-env-file", join(projectRoot, "scripts/test.ts"), ...words], {
    env,
  });
  return { exitCode: run.exitCode, stdout: run.stdout.toString(), stderr: run.stderr.toString() };
}

test("npm test shows progress and failures in full, and leaves out what passes", () => {
  const { exitCode, stdout, stderr } = npmTest([good, bad]);

  expect(exitCode).toBe(1);
  expect(stdout).toBe("3 passed, 1 failed\n");
  expect(stderr).toContain("bad.test.ts:\n");
  expect(stderr).toMatch(/-\s+"a": 2,\n\+\s+"a": 1,/);
  expect(stderr).toContain("(fail) breaks");
  expect(stderr).toContain("2 of 2 files");
  expect(stderr).not.toMatch(/adds|subtracts|holds|\(pass\)/);
});

test("npm test --only-failures prints nothing but failures and the sum, and ATOMIC_TEST_COUNTS takes the sum", () => {
  const counts = join(folder, "counts");
  const { exitCode, stdout, stderr } = npmTest(["--only-failures", good], { ATOMIC_TEST_COUNTS: counts });

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
  expect(stderr).toMatch(/^Ran 2 tests across 1 file\. \[\S+\]\n$/);
  expect(readFileSync(counts, "utf8")).toBe("2 passed, 0 failed\n");
});

test("progress at a terminal is one line, no wider than the terminal, and gone before anything else is printed", () => {
  let written = "";
  let now = 0;
  const progress = createTestProgress({
    files: 20,
    show: "line",
    write: (text) => (written += text),
    now: () => now,
    columns: () => 50,
  });
  const take = (...lines: string[]): string => {
    written = "";
    now += 61_000;
    for (const line of lines) progress.line(line);
    return written;
  };
  const erase = "\r\u001B[K";

  expect(take("tests/cli/one.test.ts:")).toBe(`${erase}1 of 20 files, 0 passed, 0 failed, 1:01  tests/cl`);
  expect(take("(pass) works [1.00ms]", "(pass) works too [1.00ms]")).toStartWith(`${erase}1 of 20 files, 1 passed, `);
  expect(take("(fail) breaks [1.00ms]")).toStartWith(
    `${erase}\ntests/cli/one.test.ts:\n(fail) breaks [1.00ms]\n${erase}1 of`,
  );
  expect(take("something unexpected")).toContain(`${erase}something unexpected\n`);
  written = "";
  progress.end();
  expect(written).toBe(erase);
});
