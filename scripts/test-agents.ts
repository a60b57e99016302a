// `npm run test:agents`: installs the real agent programs into tests/agents (only when their lock file changed), and
// bubblewrap where it may (install-sandbox.ts); runs the suites against a model on loopback, some at the same time, each
// in its own process, home and temporary folder; and prints the table of what the programs can do.
// Arguments name suites (`npm run test:agents -- claude`); from the first flag on they go to `bun test` (`-t question`).
// Last line: "N passed, M failed"; with ATOMIC_TEST_COUNTS=FILE it goes to that file instead.

import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentClient } from "../src/agents/port.ts";
import { capabilityTable } from "../src/testing/contracts/agent-contract.ts";
import { installAgents } from "./install-agents.ts";
import { installSandbox } from "./install-sandbox.ts";
import { testEnvironment } from "./test-environment.ts";
import { testProgram } from "./test-program.ts";

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const projectRoot = join(import.meta.dir, "..");
const rig = join(projectRoot, "tests/agents");
const suffix = ".agents.ts";
/** Those that take longest begin first, so that none of them is alone at the end. */
const longest = ["opencode", "ralph-opencode", "acp", "copilot", "chat-opencode", "claude"];
const given = process.argv.slice(2);
const firstFlag = given.findIndex((argument) => argument.startsWith("-"));
const flags = firstFlag === -1 ? [] : given.slice(firstFlag);
const suites = chooseSuites(firstFlag === -1 ? given : given.slice(0, firstFlag));
/** They wait about as long as they compute: for programs to start, for limits to pass. */
const atOnce = Math.min(availableParallelism(), suites.length);

const root = mkdtempSync(join(tmpdir(), "rig-"));
const reports = join(root, "capabilities");
mkdirSync(reports);
const started = performance.now();
const running = new Set<Bun.Subprocess>();
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
    for (const suite of running) suite.kill("SIGTERM");
  });
await installAgents();
await installSandbox();
const program = await testProgram(root);
const lines: string[] = [];
const results: Counts[] = [];
const waiting = [...suites.entries()];
await Promise.all(Array.from({ length: atOnce }, runWaiting));
const counts = results.reduce(add, { passed: 0, failed: 0 });
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

/** Runs one suite after the other until none waits. */
async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    results.push(isStopped ? { passed: 0, failed: 1 } : await runSuite(...next));
}

function chooseSuites(names: readonly string[]): readonly string[] {
  const all = readdirSync(rig)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no suite "${unknown.join('", "')}". The suites are: ${all.join(", ")}.`);
  // Those that take long have to be named.
  return names.length === 0 ? all.filter((name) => !name.endsWith("-full")) : names;
}

function rank(name: string): number {
  const place = longest.indexOf(name);
  return place === -1 ? longest.length : place;
}

async function runSuite(number: number, name: string): Promise<Counts> {
  const suiteStarted = performance.now();
  // A number, because programs open sockets below it, whose paths may have at most 104 bytes.
  const place = join(root, String(number));
  for (const folder of [place, join(place, "home"), join(place, "tmp")]) mkdirSync(folder);
  const report = join(place, "report.xml");
  const printed = join(place, "printed");
  const output = atOnce === 1 ? "inherit" : openSync(printed, "a");
  if (atOnce === 1) console.log(`\n== ${name}`);
  const suite = Bun.spawn(
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
      env: { ...testEnvironment(place, process.env), ...program, ATOMIC_CAPABILITIES: reports },
      stdin: "ignore",
      stdout: output,
      stderr: output,
    },
  );
  running.add(suite);
  const result = readCounts(report, await suite.exited);
  running.delete(suite);
  if (output !== "inherit") {
    closeSync(output);
    console.log(`\n== ${name}\n${readFileSync(printed, "utf8")}`);
  }
  const line = `${name}: ${result.passed} passed, ${result.failed} failed in ${seconds(suiteStarted)}, ${cpuSeconds(suite)} of CPU`;
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

/** Of the suite's process and of all those that ended before their parents. */
function cpuSeconds(suite: Bun.Subprocess): string {
  return `${(Number(suite.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000).toFixed(1)} s`;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
