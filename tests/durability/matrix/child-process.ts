// Starts the child program of the matrix as a real process. The program is bundled once: a process that reads one file
// is there in a third of the time, and the matrix starts thousands of them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningChild } from "./cell.ts";
import type { ChildReport, ChildTask } from "./child.ts";

export class ChildProgram {
  readonly #folder: string;
  readonly #path: string;

  private constructor(folder: string, path: string) {
    this.#folder = folder;
    this.#path = path;
  }

  static async build(): Promise<ChildProgram> {
    const folder = mkdtempSync(join(tmpdir(), "atomic-matrix-program-"));
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, "child.ts")],
      outdir: folder,
      target: "bun",
      minify: true,
    });
    const [output] = built.outputs;
    if (!built.success || output === undefined)
      throw new Error(`the child program can't be built: ${built.logs.map(({ message }) => message).join("\n")}`);
    return new ChildProgram(folder, output.path);
  }

  start(task: ChildTask): RunningChild {
    const child = Bun.spawn([process.execPath, "--no-env-file", this.#path, JSON.stringify(task)], {
      env: { PATH: "/usr/bin:/bin", HOME: task.folder, TMPDIR: task.folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    return { ended: reportOf(child), kill: () => child.kill("SIGKILL") };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function reportOf(child: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<ChildReport | undefined> {
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (child.signalCode === "SIGKILL") return undefined;
  if (child.exitCode !== 0) throw new Error(`the child ended with ${child.exitCode ?? child.signalCode}: ${errors}`);
  return JSON.parse(output) as ChildReport;
}
