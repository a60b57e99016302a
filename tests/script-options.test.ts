// What the project's own scripts say to `--help` and to an option they do not have.

import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";

const projectRoot = join(import.meta.dir, "..");

function run(script: string, ...words: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, "--no-env-file", join(projectRoot, script), ...words],
    { cwd: tmpdir(), env: { PATH: process.env["PATH"] } },
  );
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

test.each(["scripts/verify.ts", "scripts/release.ts", "scripts/soak-kills.ts", "bench/main.ts"])(
  "%s --help prints what the script does and its options, and does nothing",
  (script) => {
    const { exitCode, stdout } = run(script, "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith("`npm run ");
    expect(stdout).toMatch(/--\w+ [A-Z]+/);
    expect(stdout).not.toContain("import");
  },
);

test("an option that a script does not have is refused, with those it has and without a stack", () => {
  const { exitCode, stdout, stderr } = run("scripts/verify.ts", "--onyl", "types");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain("'--onyl'");
  expect(stderr).toContain("--only NAME");
  expect(stderr).not.toContain("    at ");
});
