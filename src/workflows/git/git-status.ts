// What differs from the commit, in one call of git: staged, changed, deleted, unmerged and untracked files, ignored ones
// aside. Names are read byte by byte (latin1), because a file's name need not be text.

import type { Git } from "./git.ts";

export interface ChangedFile {
  /** Below the top of the repository; each character is one byte. */
  readonly name: string;
  readonly isSubmodule: boolean;
  /** All that git says about it: kind, modes, objects. */
  readonly line: string;
}

export interface GitStatus {
  /** The commit; undefined before the first one. */
  readonly commit: string | undefined;
  readonly files: readonly ChangedFile[];
}

const args = ["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames"];

/** A problem when the repository is broken. */
export async function readGitStatus(git: Git): Promise<GitStatus | { readonly problem: string }> {
  // Looking into a submodule would run another git there, with a configuration that we have not looked at.
  const { ok, stdout, stderr } = await git.run([...args, "--ignore-submodules=dirty"]);
  if (!ok) return { problem: stderr };
  const lines = stdout.toString("latin1").split("\0");
  const commit = lines.find((line) => line.startsWith("# branch.oid "))?.slice("# branch.oid ".length);
  return { commit: commit === "(initial)" ? undefined : commit, files: lines.flatMap(parseLine) };
}

/** How many fields come before the name: `1 XY sub mH mI mW hH hI name`, `u XY sub m1 m2 m3 mW h1 h2 h3 name`, `? name`. */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function parseLine(line: string): ChangedFile[] {
  const fields = fieldsBefore[line[0] ?? ""];
  if (fields === undefined) return [];
  let at = 0;
  for (let i = 0; i < fields; i++) at = line.indexOf(" ", at) + 1;
  return [{ name: line.slice(at), isSubmodule: fields > 1 && line.split(" ", 3)[2]?.startsWith("S") === true, line }];
}

/** The path of a file, for the file system. */
export function bytesOf(top: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`, "utf8"), Buffer.from(name, "latin1")]);
}
