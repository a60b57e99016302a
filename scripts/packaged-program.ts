// The program as an installed package holds it, for tests that start it hundreds of times: what people get is what is
// tested, and each start is a third cheaper than from the sources.

import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { bundlePackage } from "./bundle-package.ts";
import { emitDeclarations } from "./emit-declarations.ts";

const projectRoot = join(import.meta.dir, "..");

/** Lays out a package in `folder` and gives the path of its launcher. */
export async function layOutProgram(folder: string): Promise<string> {
  mkdirSync(folder);
  for (const name of ["bin", "package.json", "THIRD_PARTY_NOTICES.md"]) {
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  const dist = join(folder, "dist");
  await bundlePackage(dist);
  await emitDeclarations(projectRoot, join(dist, "dts"), { sources: join(dist, "source") });
  return join(folder, "bin/atomic");
}
