// `npm run test:agents`: installs the real agent programs into tests/agents (only when their lock file changed), and
// bubblewrap where it may (install-sandbox.ts); runs
// the suite of each against a model on loopback, one file after the other, and prints the table of what they can do.
// Arguments name suites (`npm run test:agents -- claude`); from the first flag on they go to `bun test` (`-t question`).
// Last line: "N passed, M failed"; with ATOMIC_TEST_COUNTS=FILE it goes to that file instead.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentClient } from "../src/agents/port.ts";
import { capabilityTable } from "../src/testing/contracts/agent-contract.ts";
import { installAgents } from "./install-agents.ts";
import { installSandbox } from "./install-sandbox.ts";
import { testEnvironment } from "./test-environment.ts";

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const projectRoot = join(import.meta.dir, "..");
const rig = join(projectRoot, "tests/agents");
const suffix = ".agents.ts";
const given = process.argv.slice(2);
const firstFlag = given.findIndex((argument) => argument.startsWith("-"));
const flags = firstFlag === -1 ? [] : given.slice(firstFlag);
const suites = chooseSuites(firstFlag === -1 ? given : given.slice(0, firstFlag));

const root = mkdtempSync(join(tmpdir(), "atomic-rig-"));
const reports = join(root, "capabilities");
for (const folder of ["home", "tmp", "capabilities"]) mkdirSync(join(root, folder));
const started = performance.now();
let running: Bun.Subprocess | undefined;
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
    running?.kill("SIGTERM");
  });
await installAgents();
await installSandbox();
const lines: string[] = [];
let counts: Counts = { passed: 0, failed: 0 };
for (const suite of suites) counts = add(counts, isStopped ? { passed: 0, failed: 1 } : await runSuite(suite));
const clients = readdirSync(reports)
  .sort()
  .map((name) => JSON.parse(readFileSync(join(reports, name), "utf8")) as Pick<AgentClient, "kind" | "capabilities">);
rmSync(root, { recursive: true, force: true });

if (clients.length > 0) console.log(`\n${capabilityTable(clients)}\n`);
console.log(`${lines.join("\n")}\n${seconds(started)} in all`);
const line = `${counts.passed} passed, ${counts.failed} failed`;
const countsFile = process.env["ATOMIC_TEST_COUNTS"];
if (countsFile === undefined) console.log(line);
else writeFileSync(countsFile, `${line}\n`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;

function chooseSuites(names: readonly string[]): readonly string[] {
  const all = readdirSync(rig)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .sort();
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no suite "${unknown.join('", "')}". The suites are: ${all.join(", ")}.`);
  // Those that take long have to be named.
  return names.length === 0 ? all.filter((name) => !name.endsWith("-full")) : names;
}

async function runSuite(name: string): Promise<Counts> {
  const suiteStarted = performance.now();
  const report = join(root, `${name}.xml`);
  console.log(`\n== ${name}`);
  running = Bun.spawn(
    [
      process.execPath,
      "--no-env-file",
      "test",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...flags,
      `./tests/agents/${name}${suffix}`,
    ],
    {
      cwd: projectRoot,
      env: { ...testEnvironment(root, process.env), ATOMIC_CAPABILITIES: reports },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
    },
  );
  const result = readCounts(report, await running.exited);
  const line = `${name}: ${result.passed} passed, ${result.failed} failed in ${seconds(suiteStarted)}`;
  console.log(`== ${line}`);
  lines.push(line);
  return result;
}

/** A runner that died leaves no report: that counts as one failure, never as none. */
function readCounts(file: string, exitCode: number): Counts {
  const head = /<testsuites [^>]*>/.exec(readIfThere(file) ?? "")?.[0] ?? "";
  const count = (attribute: string): number => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = Math.max(count("failures"), exitCode === 0 ? 0 : 1);
  return { passed: count("tests") - count("failures") - count("skipped"), failed };
}

function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
