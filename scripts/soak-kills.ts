// `npm run soak:kills`: runs of a workflow whose nodes change everything they reach, through the real command line with
// few file handles and many other runs in the same home. Each is killed at random moments, paused by its limit, which
// is then raised, and asked a question; at its end it is compared with an undisturbed run.
//
//   --minutes M     how long to run; default 3
//   --sessions N    other runs in the home; default 5,000
//   --handles N     the limit of open files of each process; default 256
//   --rounds N      iterations of the workflow's loop, and how far its limit is raised each time; default 4 and 2
//   --seed N        the seed of the random moments; default 1

import { deepStrictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SessionStore } from "../src/workflows/sessions/session-store.ts";
import { mulberry32 } from "../tests/durability/scheduler.ts";
import { keyOfDone } from "../tests/durability/tape.ts";
import { copySession } from "./soak-kills/home.ts";
import { question, workflowText } from "./soak-kills/workflow.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, {
  minutes: { type: "string", default: "3" },
  sessions: { type: "string", default: "5000" },
  handles: { type: "string", default: "256" },
  rounds: { type: "string", default: "4" },
  seed: { type: "string", default: "1" },
});
const until = performance.now() + Number(values.minutes) * 60_000;
const random = mulberry32(Number(values.seed));
const raisedBy = 2;
/** A process that takes longer than this hangs; on a busy machine the first list of thousands of runs takes minutes. */
const maxRunMs = 600_000;
/** How long an undisturbed process takes at most, in this home and on this machine: kills come within that time. */
let processMs = 0;

const root = dirname(import.meta.dirname);
const place = mkdtempSync(join(tmpdir(), "atomic-soak-kills-"));
const project = join(place, "project");
const home = join(place, "home");
const effects = join(place, "effects.txt");
mkdirSync(join(project, ".atomic/workflows"), { recursive: true });
mkdirSync(home);
const script = join(place, "script.json");
writeFileSync(script, JSON.stringify({ version: 1, turns: [] }));
writeFileSync(join(project, ".atomic/workflows/mutants.ts"), workflowText(effects, Number(values.rounds)));
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: place, LANG: "C.UTF-8" };
const store = new SessionStore({ dir: join(home, ".atomic/workflows/sessions") });
const known = new Set<string>();

interface Ended {
  readonly id: string;
  readonly kills: number;
  readonly pauses: number;
  /** The result of each visit and each step, by its key. */
  readonly record: Readonly<Record<string, unknown>>;
}

try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function soak(): Promise<boolean> {
  const expected = await runToEnd(false);
  known.add(expected.id);
  copySession(store.dir, expected.id, Number(values.sessions));
  for (const id of store.localRuns()) known.add(id);
  console.log(
    `${Object.keys(expected.record).length} records; ${known.size} other runs; ${values.handles} file handles`,
  );
  processMs = 0;
  const amongOthers = await runToEnd(false);
  known.add(amongOthers.id);
  deepStrictEqual(amongOthers.record, expected.record);
  console.log(`a process takes up to ${processMs.toFixed(0)} ms and is killed after a random part of that`);
  const longest = processMs;
  let [runs, kills, pauses] = [0, 0, expected.pauses + amongOthers.pauses];
  const differences: string[] = [];
  while (performance.now() < until) {
    processMs = longest;
    try {
      const ended = await runToEnd(true);
      known.add(ended.id);
      runs++;
      kills += ended.kills;
      pauses += ended.pauses;
      deepStrictEqual(ended.record, expected.record);
    } catch (thrown) {
      differences.push(thrown instanceof Error ? thrown.message : String(thrown));
      for (const id of store.localRuns()) known.add(id);
    }
  }
  console.log(`${runs} runs, ${kills} kills, ${pauses} pauses; listing all runs`);
  const listed = await live(["sessions", "--json", "--all"], undefined);
  const count = (JSON.parse(listed.stdout) as unknown[]).length;
  if (count !== store.localRuns().length) differences.push(`${count} of ${store.localRuns().length} runs are listed`);
  console.log(`${count} runs listed, ${differences.length} differences`);
  for (const difference of differences) console.log(`FAILED: ${difference.split("\n").slice(0, 20).join("\n")}`);
  return runs > 0 && differences.length === 0;
}

/** Starts a run and resumes it until it is completed. Each process may be killed. */
async function runToEnd(isKilled: boolean): Promise<Ended> {
  writeFileSync(effects, "");
  const agent = ["--script", script, "--trust"];
  let limit = raisedBy;
  let answer: readonly string[] = [];
  let [kills, pauses] = [0, 0];
  for (let processes = 0; processes < 200; processes++) {
    const id = newRun();
    const done = id === undefined ? new Set<string>() : await doneKeys(id);
    const before = readFileSync(effects, "utf8").length;
    const words = id === undefined ? ["run", "mutants", ...agent] : ["resume", id, "--trust"];
    const killAfterMs = isKilled ? processMs * (0.1 + 1.2 * random()) : undefined;
    const began = performance.now();
    const ended = await live([...words, "--max-iterations", String(limit), ...answer], killAfterMs);
    const repeated = readFileSync(effects, "utf8")
      .slice(before)
      .split("\n")
      .filter((key) => done.has(key));
    deepStrictEqual(repeated, [], "these steps ran again although they were on record");
    if (!isKilled) processMs = Math.max(processMs, performance.now() - began);
    if (ended.exitCode === null) kills++;
    else if (ended.exitCode === 4) answer = ["--answer", `${question}=left`];
    else if (ended.exitCode === 5) limit += raisedBy;
    else if (ended.exitCode === 0) return { id: newRun() as string, kills, pauses, record: await recordOf(newRun()) };
    else throw new Error(`exit ${ended.exitCode} of atomic ${words.join(" ")}:\n${ended.stderr}`);
    if (ended.exitCode !== null) pauses++;
  }
  throw new Error("the run did not end in 200 processes");
}

/** The run that this round started, once it is on record. */
function newRun(): string | undefined {
  return store.localRuns().find((id) => !known.has(id) && existsSync(store.folder(id).journal) && hasStarted(id));
}

function hasStarted(id: string): boolean {
  return existsSync(store.folder(id).session);
}

async function doneKeys(id: string): Promise<Set<string>> {
  return new Set(Object.keys(await recordOf(id)));
}

async function recordOf(id: string | undefined): Promise<Record<string, unknown>> {
  const record: Record<string, unknown> = {};
  if (id === undefined) return record;
  for await (const event of store.read(id)) {
    for (const key of keyOfDone(event)) {
      if (Object.hasOwn(record, key)) throw new Error(`${key} is recorded twice`);
      record[key] = event["update"] ?? event["value"] ?? null;
    }
  }
  return record;
}

async function live(
  words: readonly string[],
  killAfterMs: number | undefined,
): Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }> {
  const command = `ulimit -n ${Number(values.handles)}; exec "$0" "$@"`;
  const child = Bun.spawn(["/bin/sh", "-c", command, join(root, "bin/atomic"), ...words], {
    cwd: project,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs ?? maxRunMs);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(timer);
  if (killAfterMs === undefined && child.exitCode === null) throw new Error(`atomic ${words.join(" ")} hangs`);
  return { exitCode: child.exitCode, stdout, stderr };
}
