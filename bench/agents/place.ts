// The environment in which a bench runs agents: a separate home, and a model in another process.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { RigPlace } from "../../tests/agents/rig.ts";

export async function withPlace<T>(kind: string, folder: string, run: (place: RigPlace) => Promise<T>): Promise<T> {
  mkdirSync(join(folder, "home"));
  const model = spawn(process.execPath, ["--no-env-file", join(import.meta.dirname, "model.ts"), kind], {
    env: { PATH: "/usr/bin:/bin", HOME: folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => model.once("exit", resolve));
  const modelUrl = await new Promise<string>((resolve, reject) => {
    model.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    void exited.then(() => reject(new Error("The model ended.")));
  });
  try {
    return await run({ root: folder, modelUrl });
  } finally {
    model.stdin.end();
    await exited;
  }
}
