// `npm test`: runs Bun's test runner in an environment of its own and says how many tests passed.
// Arguments are paths or flags for `bun test`; without a path, everything under src/ and tests/ runs.
// Tests of the command line start the program that ATOMIC_TEST_PROGRAM names; without it, one packaged here.
// With ATOMIC_TEST_COUNTS=FILE the last line goes to that file instead (for .ci/run, which prints it at its own end).

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { layOutProgram } from "./packaged-program.ts";
import { testEnvironment } from "./test-environment.ts";

const projectRoot = join(import.meta.dir, "..");
const given = process.argv.slice(2);
const paths = given.some((argument) => !argument.startsWith("-")) ? [] : ["./src", "./tests"];

// Short, because sockets that tests open below it may have paths of at most 104 bytes.
const root = mkdtempSync(join(tmpdir(), "atomic-test-"));
const environment = testEnvironment(root, process.env);
mkdirSync(join(root, "home"));
mkdirSync(join(root, "tmp"));
// Tests that look with another user's eyes have to get to their own folder below these, whatever the umask.
for (const folder of [root, join(root, "tmp")]) chmodSync(folder, 0o711);
const report = join(root, "junit.xml");
environment["ATOMIC_TEST_PROGRAM"] = process.env["ATOMIC_TEST_PROGRAM"] ?? (await layOutProgram(join(root, "package")));

const run = Bun.spawn(
  [
    process.execPath,
    "--no-env-file",
    "test",
    // Each file gets a process and globals of its own. One worker more than there are cores: many tests wait.
    `--parallel=${availableParallelism() + 1}`,
    "--timeout=20000",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...given,
    ...paths,
  ],
  { cwd: projectRoot, env: environment, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => run.kill(signal));
const exitCode = await run.exited;
const counts = readCounts(report);
rmSync(root, { recursive: true, force: true });

if (counts.passed + counts.failed === 0) console.error("No test ran.");
const line = `${counts.passed} passed, ${counts.failed} failed`;
const countsFile = process.env["ATOMIC_TEST_COUNTS"];
if (countsFile === undefined) console.log(line);
else writeFileSync(countsFile, `${line}\n`);
process.exitCode = exitCode !== 0 ? exitCode : counts.failed === 0 && counts.passed > 0 ? 0 : 1;

/** A runner that died leaves no report: that counts as one failure, never as none. */
function readCounts(file: string): { passed: number; failed: number } {
  let head: string;
  try {
    head = /<testsuites [^>]*>/.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  } catch {
    console.error(`The test runner ended with code ${exitCode} and left no report.`);
    return { passed: 0, failed: 1 };
  }
  const count = (name: string): number => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
  const [tests, failures, skipped] = [count("tests"), count("failures"), count("skipped")];
  // A file that fails to load is no test case, but the exit code tells.
  const failed = failures === 0 && exitCode !== 0 ? 1 : failures;
  return { passed: tests - failures - skipped, failed };
}
