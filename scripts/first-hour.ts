// `npm run first-hour`: plays a newcomer's first hour with what a release contains, on a machine that has Node, npm and
// git and nothing of ours: install, doctor, init, run, test, ralph, Ctrl+C, resume. Once from the tarball, once from
// the single file. Stops at the first thing that is not as expected, with everything that was typed and printed.
//
//   npm run first-hour                                 builds a release for this platform first
//   npm run first-hour -- --release build/release      uses an existing one

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createNewcomer } from "./first-hour/newcomer.ts";
import { playFirstHour } from "./first-hour/play.ts";
import { releaseTargets } from "./release-targets.ts";
import { mustRun } from "./run-command.ts";
import { scriptOptions } from "./script-options.ts";

const root = join(import.meta.dir, "..");
const values = scriptOptions(import.meta.path, { release: { type: "string" } });
const temp = mkdtempSync(join(tmpdir(), "atomic-first-hour-"));
try {
  const release = values.release === undefined ? await buildRelease() : resolve(values.release);
  const host = releaseTargets.find((target) => target.isHost);
  if (host === undefined) throw new Error(`There is no single file for ${process.platform} ${process.arch}.`);

  await playFirstHour(await createNewcomer({ folder: join(temp, "tarball"), tarball: fileIn(release, ".tgz") }));
  await playFirstHour(await createNewcomer({ folder: join(temp, "single"), singleFile: fileIn(release, host.name) }));
} finally {
  rmSync(temp, { recursive: true, force: true });
}

async function buildRelease(): Promise<string> {
  const folder = join(temp, "release");
  const host = releaseTargets.find((target) => target.isHost)?.name ?? "none";
  await mustRun([process.execPath, "--no-env-file", "scripts/release.ts", "--out", folder, "--targets", host], {
    cwd: root,
  });
  return folder;
}

function fileIn(folder: string, end: string): string {
  const name = readdirSync(folder).find((each) => each.endsWith(end));
  if (name === undefined) throw new Error(`${folder} holds no file that ends with ${end}.`);
  return join(folder, name);
}
