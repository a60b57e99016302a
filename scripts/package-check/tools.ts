// The tools that the package is tested with, pinned by scripts/package-check/tools/package-lock.json: compilers,
// bundlers, runtimes and package managers that users have and the project itself does not need.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPinned } from "../install-pinned.ts";

const folder = join(import.meta.dir, "tools");

export function installTools(): Promise<void> {
  return installPinned(folder, "the tools of the package check (about 140 MB)");
}

/** Compilers by version: the one that the project uses, and the oldest that its users may have. */
export const compilers: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: "TypeScript 7", command: ["node", join(import.meta.dir, "../../node_modules/typescript/bin/tsc")] },
  { name: "TypeScript 5.9", command: ["node", join(folder, "node_modules/typescript/bin/tsc")] },
];

export const esbuild: readonly string[] = ["node", join(folder, "node_modules/esbuild/bin/esbuild")];
export const pnpm: readonly string[] = ["node", join(folder, "node_modules/pnpm/bin/pnpm.cjs")];
export const yarn: readonly string[] = ["node", join(folder, "node_modules/@yarnpkg/cli-dist/bin/yarn.js")];

/** Absent on Linux with musl: Deno has no package for it. */
export function findDeno(): string | undefined {
  const libc = process.platform === "linux" ? "-glibc" : "";
  const name = process.platform === "win32" ? "deno.exe" : "deno";
  const file = join(folder, `node_modules/@deno/${process.platform}-${process.arch}${libc}`, name);
  return existsSync(file) ? file : undefined;
}
