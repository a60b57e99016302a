// Temporary folders that name their owner, so that a later process can remove what a killed one left, and nothing else.
// Each holds a file that identifies its process; folders of processes that may be alive are left alone.

import { lstatSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentProcess, livenessOf, parseProcessIdentity } from "./process-identity.ts";
import { removeFolder } from "./remove-folder.ts";
import { isSystemError } from "./atomic-file.ts";
import { readableNamesIn } from "./names-in.ts";

const kinds = ["edit", "keep", "objects", "opencode", "read", "sandbox", "test"] as const;
const ownerFile = ".owner.json";
const pattern = new RegExp(`^atomic-(?:${kinds.join("|")})-[A-Za-z0-9]{6}$`);
/**
 * Age at which a folder without an owner is removed: its process died before writing the file, or is an older version.
 */
const maxUnownedMs = 24 * 3_600_000;

/** `atomic-KIND-XXXXXX` in `parent`. The caller removes it. */
export function makeTempFolder(kind: (typeof kinds)[number], parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `atomic-${kind}-`));
  writeFileSync(join(folder, ownerFile), JSON.stringify(currentProcess()), { mode: 0o600 });
  return folder;
}

/** Removes the folders of processes that are certainly dead. Never throws: what can't be removed stays. */
export function sweepTempFolders(now: number, parent: string = tmpdir()): void {
  for (const name of readableNamesIn(parent)) {
    if (!pattern.test(name)) continue;
    const folder = join(parent, name);
    try {
      if (isAbandoned(folder, now)) removeFolder(folder);
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      // Belongs to another user, or was removed in the meantime.
    }
  }
}

function isAbandoned(folder: string, now: number): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
  const owner = ownerOf(folder);
  return owner === undefined ? now - found.mtimeMs > maxUnownedMs : livenessOf(owner) === "dead";
}

function ownerOf(folder: string): ReturnType<typeof parseProcessIdentity> {
  try {
    return parseProcessIdentity(JSON.parse(readFileSync(join(folder, ownerFile), "utf8")));
  } catch (thrown) {
    if (!isSystemError(thrown) && !(thrown instanceof SyntaxError)) throw thrown;
    return undefined;
  }
}
