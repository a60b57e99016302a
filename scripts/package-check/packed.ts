// The project as a user gets it: packed from a copy of the checkout, and installed into an empty folder. Everything is
// below one temporary folder; the checkout's own dist/ is not touched.

import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mustRun } from "../run-command.ts";

export const projectRoot = join(import.meta.dir, "../..");

export interface Packed {
  /** The folder that contains everything. */
  readonly temp: string;
  /** The copy of the project that was packed. */
  readonly stage: string;
  readonly tarball: string;
  /** A project that depends on the tarball and on nothing else. */
  readonly consumer: string;
  /** The package in it. */
  readonly installed: string;
}

// npm sets variables for the scripts it runs; they must not affect the npm that is started here.
export const environment: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name)),
);

/** A copy of the project without what git ignores. It shares the installed packages of the checkout. */
export function stageProject(stage: string): void {
  const left = new Set([".git", "node_modules", "dist", "build"]);
  for (const name of readdirSync(projectRoot)) {
    if (left.has(name) || name === "bench") continue;
    cpSync(join(projectRoot, name), join(stage, name), {
      recursive: true,
      // Folders of the sources may be called `build` too.
      filter: (source) => basename(source) !== "node_modules",
    });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(stage, "node_modules"));
}

/** Packs the copy, and returns the path of the tarball. */
export async function packProject(temp: string, stage: string): Promise<string> {
  await mustRun(["npm", "pack", "--silent", "--pack-destination", temp], { cwd: stage, env: environment });
  const name = readdirSync(temp).find((each) => each.endsWith(".tgz"));
  if (name === undefined) throw new Error(`npm pack left no tarball in ${temp}.`);
  return join(temp, name);
}

export async function packAndInstall(temp: string, stage: string): Promise<Packed> {
  const tarball = await packProject(temp, stage);
  const consumer = join(temp, "consumer");
  // Without install scripts, as a careful npm installs it.
  await npmInstall(consumer, tarball, ["--ignore-scripts"]);
  return { temp, stage, tarball, consumer, installed: join(consumer, "node_modules/atomic") };
}

/** Installs the tarball into a new project. */
export async function npmInstall(folder: string, tarball: string, flags: readonly string[]): Promise<void> {
  writeConsumer(folder);
  await mustRun(["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", ...flags, tarball], {
    cwd: folder,
    env: environment,
  });
}

export function writeConsumer(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
}
