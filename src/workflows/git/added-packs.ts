// Packs that we add to the user's repository. Each comes with a `.keep` file, which collectors leave alone until whoever
// added it removes that file. Git looks into every pack for every object, so many small ones are combined.

import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError, syncFile, syncFolder, systemCode } from "../../lib/atomic-file.ts";
import { namesIn } from "../../lib/names-in.ts";
import { currentProcess, livenessOf, parseProcessIdentity } from "../../lib/process-identity.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { Git } from "./git.ts";

const keepText = "Atomic ";

export interface AddedPack {
  readonly name: string;
  /** The file that protects it. */
  readonly guard: string;
}

/** Moves a pack that git wrote as `pack-HASH` into the repository. */
export function publishPack(commonDir: string, folder: string, hash: string): AddedPack {
  const packs = join(commonDir, "objects/pack");
  mkdirSync(packs, { recursive: true });
  // Never the name of a pack that was there before: a collector may be about to remove that one.
  const name = `pack-${randomHex(hash.length / 2)}`;
  const guard = join(packs, `${name}.keep`);
  writeFileSync(guard, `${keepText}${JSON.stringify(currentProcess())}\n`);
  const made = namesIn(folder).filter((each) => each.startsWith(`pack-${hash}.`));
  // The index comes last: with it, git takes the pack for complete.
  for (const each of made.toSorted((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx"))))
    move(join(folder, each), join(packs, `${name}${each.slice(`pack-${hash}`.length)}`));
  syncFolder(packs);
  return { name, guard };
}

/** The folder of objects may be a link to another disk. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (systemCode(thrown) !== "EXDEV") throw thrown;
    // A collector removes files with such names that a kill leaves.
    const copy = join(dirname(to), `tmp_atomic_${randomHex(8)}`);
    copyFileSync(from, copy);
    syncFile(copy, "r");
    renameSync(copy, to);
  }
}

/** By repository: what this process added and has not combined yet. */
const small = new Map<string, string[]>();
const maxSmallPacks = 8;

/** Those to combine now: none, or as many as are worth it. Each is given once. */
export function packsToCombine(commonDir: string, added: string): readonly string[] {
  const names = small.get(commonDir) ?? [];
  small.set(commonDir, names);
  names.push(added);
  return names.length < maxSmallPacks ? [] : names.splice(0);
}

/** One pack with all objects of those. They stay as they are when one of them is gone: the user's git has packed it. */
export async function combinePacks(
  { git, commonDir }: { readonly git: Git; readonly commonDir: string },
  folder: string,
  names: readonly string[],
): Promise<void> {
  const input = names.map((name) => `${name}.pack\n`).join("");
  const { ok, stdout } = await git.run(["pack-objects", "--stdin-packs", "--quiet", join(folder, "pack")], { input });
  const hash = stdout.toString("utf8").trim();
  if (!ok || hash === "") return;
  const { guard } = publishPack(commonDir, folder, hash);
  for (const name of names)
    for (const ending of ["idx", "pack", "rev"])
      rmSync(join(commonDir, "objects/pack", `${name}.${ending}`), { force: true });
  rmSync(guard, { force: true });
}

/** Guards that killed processes left. */
export function sweepGuards(commonDir: string): void {
  const packs = join(commonDir, "objects/pack");
  for (const name of namesIn(packs).filter((each) => each.endsWith(".keep"))) {
    const owner = ownerOf(join(packs, name));
    if (owner !== undefined && livenessOf(owner) === "dead") rmSync(join(packs, name), { force: true });
  }
}

/** Undefined for one that is not ours, or was cut off. */
function ownerOf(guard: string): ReturnType<typeof parseProcessIdentity> {
  try {
    const text = readFileSync(guard, "utf8");
    return text.startsWith(keepText) ? parseProcessIdentity(JSON.parse(text.slice(keepText.length))) : undefined;
  } catch (thrown) {
    if (!isSystemError(thrown) && !(thrown instanceof SyntaxError)) throw thrown;
    return undefined;
  }
}
