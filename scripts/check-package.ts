// Packs the project and uses the tarball and the single file as a user would: imports every subpath under Bun, Node
// and Deno, compiles against its declarations, bundles it, does with its program what a user does first, and runs the
// design documents' samples on it. Works in temporary folders only. `--only NAME` runs one check (repeatable).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkNames, runChecks } from "./package-check/checks.ts";
import { stageProject } from "./package-check/packed.ts";
import { installTools } from "./package-check/tools.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, { only: { type: "string", multiple: true } });
for (const name of values.only ?? []) {
  if (!checkNames.includes(name)) throw new Error(`Unknown check "${name}". The checks are: ${checkNames.join(", ")}.`);
}

await installTools();
const temp = mkdtempSync(join(tmpdir(), "atomic-package-"));
try {
  const stage = join(temp, "stage");
  stageProject(stage);
  await runChecks({ temp, stage, only: values.only ?? checkNames, report: (text) => console.log(text) });
} finally {
  rmSync(temp, { recursive: true, force: true });
}
