// The declarations of the public subpaths, as a tree of small files: for the tarball, and for the single-file program.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run-command.ts";

export async function emitDeclarations(root: string, folder: string): Promise<void> {
  const tsc = join(root, "node_modules/.bin/tsc");
  await mustRun([tsc, "-p", "tsconfig.package.json", "--outDir", folder], { cwd: root });
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(folder, name);
    writeFileSync(file, withJsExtensions(readFileSync(file, "utf8")));
  }
}

/** Declarations name the files that a program would load: `./x.ts` becomes `./x.js`. */
function withJsExtensions(declarations: string): string {
  return declarations.replace(/((?:\bfrom |\bimport\()")(\.\.?\/[^"]*)\.tsx?"/g, '$1$2.js"');
}
