// `npm test`: runs Bun's test runner in a separate environment, shows failures and progress, and says how many tests
// passed. Arguments are paths or flags for `bun test`; without a path, everything under src/ and tests/ runs.
// `--only-failures` hides the progress. test-program.ts says which program the tests of the command line start.
// With ATOMIC_TEST_COUNTS=FILE the last line goes to that file instead (for .ci/run, which prints it at its own end).

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { testEnvironment } from "./test-environment.ts";
import { testProgram } from "./test-program.ts";
import { createTestProgress } from "./test-progress.ts";

const projectRoot = join(import.meta.dir, "..");
const given = process.argv.slice(2);
const chosen = given.filter((argument) => !argument.startsWith("-")).map((path) => path.replace(/^\.\//, ""));
const paths = chosen.length > 0 ? [] : ["./src", "./tests"];

// Short, because sockets that tests open below it may have paths of at most 104 bytes.
const root = mkdtempSync(join(tmpdir(), "atomic-test-"));
const environment = testEnvironment(root, process.env);
mkdirSync(join(root, "home"));
mkdirSync(join(root, "tmp"));
// Tests that act as another user must be able to reach their folder below these, whatever the umask.
for (const folder of [root, join(root, "tmp")]) chmodSync(folder, 0o711);
const report = join(root, "junit.xml");
// Tests beside the sources start no program.
if (chosen.length === 0 || chosen.some((path) => !path.startsWith("src/")))
  Object.assign(environment, await testProgram(root));

const run = Bun.spawn(
  [
    process.execPath,
    "--no-env-file",
    "test",
    // Each file gets its own globals, in a process that runs several, one after the other. Two processes more than
    // there are cores: many tests wait.
    `--parallel=${availableParallelism() + 2}`,
    "--timeout=20000",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...given,
    ...paths,
  ],
  { cwd: projectRoot, env: environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
);
const progress = createTestProgress({
  files: countFiles(),
  show: given.includes("--only-failures") ? "none" : process.stderr.isTTY ? "line" : "steps",
  write: (text) => process.stderr.write(text),
  now: Date.now,
  columns: () => process.stderr.columns,
});
const printed = Promise.all([run.stdout, run.stderr].map((stream) => readLines(stream, progress.line)));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => run.kill(signal));
const exitCode = await run.exited;
// A program that a test left behind may still hold the runner's output open.
await Promise.race([printed, Bun.sleep(2_000)]);
progress.end();
const counts = readCounts(report);
rmSync(root, { recursive: true, force: true });

if (counts.passed + counts.failed === 0) console.error("No test ran.");
const line = `${counts.passed} passed, ${counts.failed} failed`;
const countsFile = process.env["ATOMIC_TEST_COUNTS"];
if (countsFile === undefined) console.log(line);
else writeFileSync(countsFile, `${line}\n`);
process.exit(exitCode !== 0 ? exitCode : counts.failed === 0 && counts.passed > 0 ? 0 : 1);

function countFiles(): number {
  const all = new Bun.Glob("{src,tests}/**/*.{test,terminal,kills}.{ts,tsx}").scanSync(projectRoot);
  return [...all].filter((file) =>
    chosen.length === 0 ? /\.test\.tsx?$/.test(file) : chosen.some((path) => file.includes(path)),
  ).length;
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  if (rest !== "") take(rest);
}

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
  // A file that fails to load is not a test case, but the exit code shows it.
  const failed = failures === 0 && exitCode !== 0 ? 1 : failures;
  return { passed: tests - failures - skipped, failed };
}
