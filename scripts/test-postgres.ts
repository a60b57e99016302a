// `npm run test:postgres`: installs the pinned PostgreSQL into tests/postgres (only when its lock file changed), starts
// one in a temporary folder, and runs the suites against it. Arguments go to `bun test`.
// Last line: "N passed, M failed"; with ATOMIC_TEST_COUNTS=FILE it goes to that file instead.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../tests/postgres/server.ts";
import { installPinned } from "./install-pinned.ts";
import { testEnvironment } from "./test-environment.ts";
import { testProgram } from "./test-program.ts";

const projectRoot = join(import.meta.dir, "..");
const folder = join(projectRoot, "tests/postgres");
await installPinned(folder, "PostgreSQL into tests/postgres (60 MB)");

const root = mkdtempSync(join(tmpdir(), "atomic-postgres-tests-"));
for (const name of ["home", "tmp", "servers"]) mkdirSync(join(root, name));
// The server runs as another user, whatever the umask.
for (const each of [root, join(root, "servers")]) chmodSync(each, 0o755);
const program = await testProgram(root);
const server = await startPostgres(join(root, "servers"));
const suites = readdirSync(folder).filter((name) => name.endsWith(".postgres.ts"));
const report = join(root, "report.xml");
const running = Bun.spawn(
  [
    process.execPath,
    "--no-env-file",
    "test",
    // Most of them wait, for leases to end and for servers to stop. Each has a separate schema or server.
    `--parallel=${availableParallelism() + 2}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...process.argv.slice(2),
    ...suites.map((name) => `./tests/postgres/${name}`),
  ],
  {
    cwd: projectRoot,
    env: {
      ...testEnvironment(root, process.env),
      ...program,
      ATOMIC_TEST_POSTGRES: server.url,
      ATOMIC_TEST_POSTGRES_FOLDER: join(root, "servers"),
    },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => running.kill("SIGTERM"));
const exitCode = await running.exited;
const head = /<testsuites [^>]*>/.exec(readIfThere(report))?.[0] ?? "";
const count = (attribute: string): number => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(head)?.[1] ?? 0);
// A runner that died leaves no report: that counts as one failure, never as none.
const failed = Math.max(count("failures"), exitCode === 0 ? 0 : 1);
const passed = count("tests") - count("failures") - count("skipped");
await server.dispose();
rmSync(root, { recursive: true, force: true });
const line = `${passed} passed, ${failed} failed`;
const countsFile = process.env["ATOMIC_TEST_COUNTS"];
if (countsFile === undefined) console.log(line);
else writeFileSync(countsFile, `${line}\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
