// `npm run soak`: one ralph run of many iterations on the embedded agent, through the real command line, killed again
// and again and resumed. Fails when a step is lost or counted twice, or when memory or file handles grow from process
// to process or within one.
//
//   --iterations N      how long the run is; default 10,000
//   --kill-every-s S    how long each process lives; default 60
//   --turn-ms MS        how long a turn of the agent takes; default 20, so that the run outlives several kills

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SessionStore } from "../src/workflows/sessions/session-store.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, {
  iterations: { type: "string", default: "10000" },
  "kill-every-s": { type: "string", default: "60" },
  "turn-ms": { type: "string", default: "20" },
});
const iterations = Number(values.iterations);
const lifeMs = Number(values["kill-every-s"]) * 1000;
const turnMs = Number(values["turn-ms"]);

/** How much more memory a run may use at its end than at its start: slack of the garbage collector, not a leak. */
const memorySlack = 1.2;
const memorySlackMb = 24;
const handleSlack = 4;
const sampleEveryMs = 250;

interface Sample {
  readonly memoryMb: number;
  readonly handles: number;
}

interface Stretch {
  readonly exitCode: number | null;
  readonly seconds: number;
  /** Until the first iteration of this process was on record. */
  readonly startMs: number | undefined;
  readonly done: number;
  readonly samples: readonly Sample[];
  readonly stderr: string;
}

const root = dirname(import.meta.dirname);
const place = mkdtempSync(join(tmpdir(), "atomic-soak-"));
const project = join(place, "project");
const home = join(place, "home");
for (const folder of [project, home]) mkdirSync(folder);
const script = join(place, "script.json");
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: place, LANG: "C.UTF-8" };
const store = new SessionStore({ dir: join(home, ".atomic/workflows/sessions") });

try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function soak(): Promise<boolean> {
  playScript("not yet");
  const agent = ["-a", "scripted", "--script", script];
  // No limit on rounds without progress, and a limit on iterations, which ends the run as a budget does.
  const words = ["ralph", "--yolo", "Go on", ...agent, "--max-stuck", "0", "--max-iterations", String(iterations)];
  const stretches: Stretch[] = [];
  for (;;) {
    const isFirst = stretches.length === 0;
    const stretch = await live(isFirst ? words : ["resume"], lifeMs);
    stretches.push(stretch);
    print(stretch, stretches.length);
    if (stretch.exitCode !== null) break;
  }
  const last = stretches.at(-1);
  const facts = await readFacts();
  playScript("COMPLETE");
  const end = await live(["resume", "--max-iterations", String(iterations + 1)], lifeMs);
  const problems = [
    ...(last?.exitCode === 5 ? [] : [`the run ended with ${last?.exitCode}: ${last?.stderr.trim()}`]),
    ...(facts.started === iterations ? [] : [`${facts.started} iterations were counted instead of ${iterations}`]),
    ...(facts.recorded === iterations ? [] : [`${facts.recorded} iterations are on record instead of ${iterations}`]),
    ...(end.exitCode === 0 ? [] : [`it could not be completed afterwards (${end.exitCode}): ${end.stderr.trim()}`]),
    ...growth(stretches),
  ];
  const killed = stretches.length - 1;
  console.log(
    `\n${iterations} iterations, ${killed} kills; the journal has ${facts.events} events, ${facts.megabytes} MB`,
  );
  for (const problem of problems) console.log(`FAILED: ${problem}`);
  if (problems.length === 0) console.log("soak: nothing lost, nothing twice; memory and file handles are flat");
  return problems.length === 0;
}

function playScript(text: string): void {
  const turn = {
    steps: [{ waitMs: turnMs }, { say: text }, { usage: { inputTokens: 10, outputTokens: 1, costUsd: 0 } }],
  };
  writeFileSync(script, JSON.stringify({ version: 1, turns: [turn] }));
}

/** One process, watched until it ends or its time is up. */
async function live(words: readonly string[], maxLifeMs: number): Promise<Stretch> {
  const before = await countDone();
  const began = performance.now();
  const child = Bun.spawn([join(root, "bin/atomic"), ...words, "--json"], {
    cwd: project,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let startMs: number | undefined;
  const output = (async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      if (startMs === undefined && decoder.decode(bytes).includes("agent.turn-finished"))
        startMs = performance.now() - began;
    }
  })();
  const stderr = child.stderr.text();
  const samples: Sample[] = [];
  while (child.exitCode === null && child.signalCode === null) {
    if (performance.now() - began > maxLifeMs) child.kill("SIGKILL");
    const sample = readSample(child.pid);
    if (sample !== undefined) samples.push(sample);
    await Promise.race([child.exited, Bun.sleep(sampleEveryMs)]);
  }
  await output;
  const seconds = (performance.now() - began) / 1000;
  const done = (await countDone()) - before;
  return { exitCode: child.exitCode, seconds, startMs, done, samples, stderr: await stderr };
}

function readSample(pid: number): Sample | undefined {
  try {
    const memory = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    // A process that has just ended is still listed, without memory.
    if (memory === undefined) return undefined;
    return { memoryMb: Number(memory) / 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

async function countDone(): Promise<number> {
  return (await readFacts()).recorded;
}

async function readFacts(): Promise<{ started: number; recorded: number; events: number; megabytes: string }> {
  const [id] = store.localRuns();
  const facts = { started: 0, recorded: 0, events: 0, megabytes: "0" };
  if (id === undefined || !existsSync(store.folder(id).journal)) return facts;
  const started = new Set<unknown>();
  for await (const event of store.read(id)) {
    facts.events++;
    if (event.type === "iteration.started") started.add(event["iteration"]);
    if (event.type === "step.finished") facts.recorded++;
  }
  const { journal } = store.folder(id);
  return { ...facts, started: started.size, megabytes: (statSync(journal).size / 1e6).toFixed(1) };
}

/** From half-way on, a process has warmed up. All others are compared with the first one. */
function settled({ samples }: Stretch): Sample {
  const half = samples.slice(Math.floor(samples.length / 2));
  const median = (of: (sample: Sample) => number): number => {
    const sorted = half.map(of).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return { memoryMb: median(({ memoryMb }) => memoryMb), handles: median(({ handles }) => handles) };
}

function growth(stretches: readonly Stretch[]): string[] {
  const [first] = stretches;
  // A process that lived only for a moment shows nothing.
  const long = stretches.filter(({ samples }) => samples.length >= 8);
  const last = long.at(-1);
  if (first === undefined || last === undefined) return ["it was over too soon to say anything: take more iterations"];
  const [before, after] = [settled(first), settled(last)];
  const problems: string[] = [];
  if (after.memoryMb > before.memoryMb * memorySlack + memorySlackMb)
    problems.push(`memory grew from ${before.memoryMb.toFixed(0)} MB to ${after.memoryMb.toFixed(0)} MB`);
  for (const { samples } of long) {
    const [early, late] = [
      samples.slice(0, Math.ceil(samples.length / 2)),
      samples.slice(Math.floor(samples.length / 2)),
    ];
    const most = (list: readonly Sample[]): number => Math.max(...list.map(({ handles }) => handles));
    if (most(late) > most(early) + handleSlack) problems.push(`file handles grew from ${most(early)} to ${most(late)}`);
  }
  if (after.handles > before.handles + handleSlack)
    problems.push(`file handles grew from ${before.handles} to ${after.handles}`);
  return problems;
}

function print(stretch: Stretch, number: number): void {
  const { samples, seconds, done, startMs, exitCode } = stretch;
  if (number === 1) console.log("process  seconds  iterations  first turn   memory (most)   handles (most)  ended");
  const { memoryMb, handles } = settled(stretch);
  const most = (of: (sample: Sample) => number): string => Math.max(0, ...samples.map(of)).toFixed(0);
  const cells = [
    String(number).padStart(7),
    seconds.toFixed(0).padStart(7),
    String(done).padStart(10),
    `${startMs?.toFixed(0) ?? "–"} ms`.padStart(10),
    `${memoryMb.toFixed(0)} MB (${most((sample) => sample.memoryMb)})`.padStart(15),
    `${handles} (${most((sample) => sample.handles)})`.padStart(14),
    exitCode === null ? "killed" : `exit ${exitCode}`,
  ];
  console.log(cells.join("  "));
}
