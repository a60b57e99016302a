// Installs the real agent programs into tests/agents, for the suites there and for the benches: pinned by its lock file,
// and only when that changed. `npm run test:agents` calls it; run by itself it does nothing else.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run-command.ts";

const rig = join(import.meta.dir, "../tests/agents");

/** No install scripts: the programs are started from their platform packages, which need none. */
export async function installAgents(): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(join(rig, "package-lock.json")))
    .digest("hex");
  const stamp = join(rig, "node_modules/.installed-lock");
  if (readIfThere(stamp) === lock) return;
  const started = performance.now();
  console.log("Installing the agent programs into tests/agents (about 1.1 GB) …");
  await mustRun(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: rig });
  writeFileSync(stamp, lock);
  console.log(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.main) await installAgents();
