// What differs between two commits, file by file. Names are bytes (latin1), because a file's name need not be text.

import { treeError, type RunRepository } from "./run-repository.ts";

export interface TreeFile {
  readonly mode: string;
  readonly object: string;
}

export interface Change {
  /** Below the top; each character is one byte. */
  readonly name: string;
  /** Undefined for a file that is new. */
  readonly from: TreeFile | undefined;
  /** Undefined for a file that is removed. */
  readonly to: TreeFile | undefined;
}

/** Without submodules: their commits are not files. */
export async function listChanges(
  { git }: Pick<RunRepository, "git">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly Change[]> {
  const { ok, stdout, stderr } = await git.run(["diff-tree", "-r", "-z", "--no-renames", "--raw", from, to]);
  if (!ok) throw treeError(`git diff-tree: ${stderr}.`);
  const fields = stdout.toString("latin1").split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldObject = "", newObject = ""] = (fields[at] as string).slice(1).split(" ");
    if (oldMode === "160000" || newMode === "160000") continue;
    changes.push({
      name: fields[at + 1] as string,
      from: fileOf(oldMode, oldObject),
      to: fileOf(newMode, newObject),
    });
  }
  return changes;
}

function fileOf(mode: string, object: string): TreeFile | undefined {
  return mode === "000000" ? undefined : { mode, object };
}
