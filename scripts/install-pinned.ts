// Installs the packages that a folder's lock file pins, only if the lock file changed since the last time. Install
// scripts are disabled: these programs are started from their platform packages, which need none.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run-command.ts";

export async function installPinned(folder: string, what: string): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  const stamp = join(folder, "node_modules/.installed-lock");
  if (readIfThere(stamp) === lock) return;
  const started = performance.now();
  console.log(`Installing ${what} …`);
  await mustRun(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  writeFileSync(stamp, lock);
  console.log(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
