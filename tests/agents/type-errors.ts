// Compiles a few lines against the packages of this folder and returns the compiler's errors: how a suite asserts that
// a vendor's SDK matches the backend's own `sdk.ts`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../scripts/run-command.ts";

/** `source` is a module in a folder beside `node_modules`; our own sources are at `../../../src/`. Empty: no error. */
export async function typeErrors(source: string): Promise<string> {
  const projectRoot = join(import.meta.dirname, "../..");
  // Inside this folder, because packages are found from where a file is.
  const folder = mkdtempSync(join(import.meta.dirname, ".types-"));
  try {
    writeFileSync(join(folder, "check.ts"), source);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../../tsconfig.json",
        compilerOptions: { typeRoots: ["../../../node_modules/@types"] },
        files: ["check.ts"],
        include: [],
      }),
    );
    const tsc = join(projectRoot, "node_modules/.bin/tsc");
    const { stdout, stderr } = await runCommand([tsc, "-p", folder], { cwd: projectRoot });
    return `${stdout}${stderr}`.trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
