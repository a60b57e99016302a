// Everything the children need: the packages of bench/, and for Node the benches and the package bundled to JavaScript.

import { cpSync, existsSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle as bundleWith } from "../../scripts/bundle.ts";
import { bundlePackage } from "../../scripts/bundle-package.ts";
import manifest from "../package.json" with { type: "json" };

const benchFolder = join(import.meta.dir, "..");

export const buildFolder = join(benchFolder, ".build");

/** The benches, by file name without its ending, in order. */
export function benchNames(): readonly string[] {
  return readdirSync(join(benchFolder, "benches"))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => basename(name, ".ts"))
    .sort();
}

/** `npm ci` in bench/, unless what is there fits the lock file already. */
export async function installPackages(): Promise<void> {
  const installed = join(benchFolder, "node_modules/.package-lock.json");
  const wanted = join(benchFolder, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.log("Installing what Atomic is compared with (bench/package.json) …");
  // npm reads the user's own settings (registry, proxy, cache); it runs no package's scripts.
  const npm = Bun.spawn(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: benchFolder,
    env: process.env,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  if ((await npm.exited) !== 0) throw new Error("npm ci in bench/ failed; its output is above.");
}

export async function bundle(): Promise<void> {
  rmSync(buildFolder, { recursive: true, force: true });
  const benches = benchNames().map((name) => [`benches/${name}`, join(benchFolder, "benches", `${name}.ts`)]);
  await bundleWith({
    entries: { child: join(benchFolder, "child.ts"), ...Object.fromEntries(benches) },
    folder: join(buildFolder, "node"),
    installed: Object.keys(manifest.dependencies),
  });
  await installPackage(join(buildFolder, "package"));
}

/** The package as it is on disk after installation. */
async function installPackage(folder: string): Promise<void> {
  const root = join(benchFolder, "..");
  await bundlePackage(join(folder, "dist"));
  for (const name of ["bin", "package.json"]) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}
