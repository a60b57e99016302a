// Starts the processes that are measured, in an environment that is built here and not inherited.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Figures, Program, Scale } from "./bench.ts";
import type { BenchRuntime } from "./runtimes.ts";

const benchFolder = join(import.meta.dir, "..");
const workFolder = join(benchFolder, ".work");
/** The slowest, real agents, take more than ten minutes. */
const timeoutMs = 30 * 60_000;

export async function measureSubject(
  runtime: BenchRuntime,
  of: { readonly bench: string; readonly subject: string; readonly scale: Scale },
): Promise<Figures> {
  const folder = makeFolder();
  try {
    const { bench, subject, scale } = of;
    const { stdout } = await run(
      [...runtime.command, runtime.entry, runtime.benchFile(bench), subject, scale, folder],
      folder,
    );
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function measureProgram(runtime: BenchRuntime, { program }: Program): Promise<Figures | undefined> {
  const file = program[runtime.name];
  if (file === undefined) return undefined;
  const folder = makeFolder();
  try {
    const started = performance.now();
    const { cpuUs } = await run([...runtime.command, join(benchFolder, file)], folder);
    return { wallNs: (performance.now() - started) * 1e6, cpuNs: cpuUs * 1e3 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder(): string {
  mkdirSync(workFolder, { recursive: true });
  return mkdtempSync(join(workFolder, "child-"));
}

async function run(command: readonly string[], folder: string): Promise<{ stdout: string; cpuUs: number }> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: {
      PATH: "/usr/bin:/bin",
      HOME: folder,
      TMPDIR: folder,
      NODE_ENV: "production",
      // Otherwise large sources would be read from a cache that other runs filled.
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
      // The other engines must not send telemetry.
      MASTRA_TELEMETRY_DISABLED: "1",
      LANGSMITH_TRACING: "false",
      DO_NOT_TRACK: "1",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`\`${command.join(" ")}\` ended with ${exitCode}:\n${stdout}${stderr}`);
  return { stdout, cpuUs: Number(child.resourceUsage()?.cpuTime.total ?? 0) };
}
