// `npm run check:installs`: installs the tarball with every common package manager. With each, the library must load on
// Node and the program must start and run the first workflow. Takes minutes, so it is not part of `verify`.
// `--only NAME` tries one installer.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installers, tryInstaller } from "./package-check/installers.ts";
import { packProject, stageProject } from "./package-check/packed.ts";
import { installTools } from "./package-check/tools.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, { only: { type: "string" } });
const names = installers.map(({ name }) => name);
if (values.only !== undefined && !names.includes(values.only)) {
  throw new Error(`Unknown installer "${values.only}". The installers are: ${names.join(", ")}.`);
}

await installTools();
const temp = mkdtempSync(join(tmpdir(), "atomic-installs-"));
let failed = 0;
try {
  const stage = join(temp, "stage");
  stageProject(stage);
  const tarball = await packProject(temp, stage);
  for (const [index, installer] of installers.entries()) {
    if (values.only !== undefined && installer.name !== values.only) continue;
    const started = performance.now();
    try {
      const text = await tryInstaller(installer, join(temp, `install-${index}`), tarball);
      console.log(`ok      ${installer.name} (${Math.round((performance.now() - started) / 1000)} s): ${text}`);
    } catch (error) {
      failed++;
      console.error(`failed  ${installer.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  rmSync(temp, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
