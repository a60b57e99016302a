// Runs a program at a separate terminal, which `script` creates: until it ends, until it shows a text, or for a while
// in which its screen does not change.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface AtTerminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function start(command: readonly string[], { cwd, env }: AtTerminal): ReturnType<typeof spawn> {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return spawn("script", ["-qec", `stty rows 40 cols 120; echo "PID=$$"; exec ${quoted}`, "/dev/null"], {
    cwd,
    env: { ...env, PATH: "/usr/bin:/bin", TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
}

export function untilItEnds(command: readonly string[], place: AtTerminal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = start(command, place);
    let said = "";
    child.stdout?.on("data", (data: Buffer) => (said = (said + data.toString("utf8")).slice(-2000)));
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}:\n${said}`))));
  });
}

export interface Shown {
  /** Nanoseconds from the start of the process. */
  readonly wallNs: number;
  /** The CPU time of all of its threads by then. */
  readonly cpuNs: number;
}

/** How long it takes. Then it is ended. */
export function untilItShows(command: readonly string[], text: string, place: AtTerminal): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const child = start(command, place);
    let said = "";
    child.stdout?.on("data", (data: Buffer) => {
      said += data.toString("utf8");
      if (!said.includes(text)) return;
      resolve({ wallNs: (performance.now() - from) * 1e6, cpuNs: cpuOf(/PID=(\d+)/.exec(said)?.[1] ?? "") });
      child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`it ended without showing ${text}:\n${said.slice(-2000)}`)));
  });
}

/** Of all threads, those that are still there. */
function cpuOf(pid: string): number {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads)
    .map((thread) => Number(readFileSync(join(threads, thread, "schedstat"), "utf8").split(" ")[0]))
    .reduce((sum, ns) => sum + ns, 0);
}

export interface Typed {
  readonly keys: string;
  /** What is shown then. */
  readonly shows: string;
}

/** Skipped: the first frames and timers after a change are not part of the idle cost. */
const settleMs = 3000;
const patienceMs = 60_000;

export interface Stretches {
  /** How long each is. */
  readonly seconds: number;
  /** When the second one begins. */
  readonly laterS: number;
}

export interface Shares {
  /** Of a core, soon after the last of the texts was shown: the runtime still compiles what it runs. */
  readonly first: number;
  /** Of a core, later. */
  readonly later: number;
}

/** The share of a core that the program itself takes, in two stretches after the last of these was shown. */
export async function sharesOfCore(
  command: readonly string[],
  typed: readonly Typed[],
  { seconds, laterS, ...place }: AtTerminal & Stretches,
): Promise<Shares> {
  const child = start(command, place);
  let said = "";
  child.stdout?.on("data", (data: Buffer) => (said += data.toString("utf8")));
  try {
    for (const { keys, shows } of typed) {
      const from = said.length;
      child.stdin?.write(keys);
      await until(() => said.slice(from).includes(shows), `${shows} was not shown:\n${said.slice(-2000)}`);
    }
    const pid = /PID=(\d+)/.exec(said)?.[1] ?? "";
    await pause(settleMs);
    const from = performance.now();
    const first = await shareDuring(pid, seconds);
    await pause(Math.max(0, laterS * 1000 - (performance.now() - from)));
    return { first, later: await shareDuring(pid, seconds) };
  } finally {
    child.kill("SIGKILL");
  }
}

async function shareDuring(pid: string, seconds: number): Promise<number> {
  const [before, from] = [cpuTicks(pid), performance.now()];
  await pause(seconds * 1000);
  const tookS = (performance.now() - from) / 1000;
  return (cpuTicks(pid) - before) / ticksPerSecond / tookS;
}

const ticksPerSecond = 100;

/** User and system time of a process, all of its threads. */
function cpuTicks(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

async function until(holds: () => boolean, problem: string): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(problem);
    await pause(20);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
