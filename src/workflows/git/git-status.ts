// What differs from the commit: staged, changed, deleted, unmerged and untracked files, ignored ones aside, and files
// that git is configured to ignore (assume-unchanged, skip-worktree). Names are bytes (latin1).

import { lstatSync } from "node:fs";
import { systemCode } from "../../lib/atomic-file.ts";
import { Git, type GitAtTop } from "./git.ts";

export interface ChangedFile {
  /** Below the top of the repository; each character is one byte. Of a repository inside this one it ends in a slash. */
  readonly name: string;
  readonly isSubmodule: boolean;
  /** All that git says about it: kind, modes, objects. */
  readonly line: string;
  /** What is staged, where that may differ from the file: mode and object, by stage for a conflict. */
  readonly staged: readonly StagedEntry[];
  /** Set for a file that git is configured not to check: it may have changed or not. */
  readonly unwatched?: { readonly mode: string; readonly object: string } | undefined;
}

export interface StagedEntry {
  /** 0, or 1 to 3 in a conflict: the base, ours, theirs. */
  readonly stage: number;
  /** `000000` for what was removed. */
  readonly mode: string;
  readonly object: string;
}

export interface GitStatus {
  /** The commit; undefined before the first one. */
  readonly commit: string | undefined;
  readonly files: readonly ChangedFile[];
  /** The folders of all submodules, changed or not. */
  readonly submodules: readonly string[];
}

export interface ReadRepository extends GitAtTop {
  readonly status: GitStatus;
}

/** Undefined when there is none (`Git.atTop`). */
export type FoundRepository = ReadRepository | { readonly problem: string } | undefined;

/** The repository of a folder, and what differs in it. */
export async function readRepository(cwd: string): Promise<FoundRepository> {
  const found = await Git.atTop(cwd);
  if (found === undefined || "problem" in found) return found;
  const status = await readGitStatus(found.git, found.top);
  return "problem" in status ? { problem: `git status: ${status.problem}` } : { ...found, status };
}

// Looking into a submodule would run another git there, with a configuration that we have not looked at.
const statusArgs = "status --porcelain=v2 -z --branch --untracked-files=all --no-renames --ignore-submodules=dirty";

/** A problem when the repository is broken. */
export async function readGitStatus(git: Git, top: string): Promise<GitStatus | { readonly problem: string }> {
  const [status, index] = await Promise.all([
    git.run(statusArgs.split(" ")),
    git.run(["ls-files", "-v", "--stage", "-z"]),
  ]);
  for (const { ok, stderr } of [status, index]) if (!ok) return { problem: stderr };
  const lines = status.stdout.toString("latin1").split("\0");
  const commit = lines.find((line) => line.startsWith("# branch.oid "))?.slice("# branch.oid ".length);
  const { submodules, unwatched } = readIndex(index.stdout, top);
  const files = lines.flatMap(parseLine);
  const known = new Set(files.map(({ name }) => name));
  return {
    commit: commit === "(initial)" ? undefined : commit,
    files: [...files, ...unwatched.filter(({ name }) => !known.has(name))],
    submodules,
  };
}

/**
 * How many fields come before the name: `1 XY sub mH mI mW hH hI name`, `u XY sub m1 m2 m3 mW h1 h2 h3 name`, `?
 * name`.
 */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function parseLine(line: string): ChangedFile[] {
  const count = fieldsBefore[line[0] ?? ""];
  if (count === undefined) return [];
  const fields: string[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const end = line.indexOf(" ", at);
    fields.push(line.slice(at, end));
    at = end + 1;
  }
  const isSubmodule = fields[2]?.startsWith("S") === true;
  return [{ name: line.slice(at), isSubmodule, line, staged: isSubmodule ? [] : stagedIn(fields) }];
}

function stagedIn(fields: readonly string[]): readonly StagedEntry[] {
  const entry = (stage: number, mode = "", object = ""): StagedEntry => ({ stage, mode, object });
  if (fields[0] === "u")
    return [1, 2, 3].map((stage) => entry(stage, fields[stage + 2], fields[stage + 6])).filter(isThere);
  // `X` of `XY` says whether something is staged.
  return fields[0] === "1" && fields[1]?.startsWith(".") === false ? [entry(0, fields[4], fields[7])] : [];
}

function isThere({ mode }: StagedEntry): boolean {
  return mode !== "000000";
}

/** `H 100644 object 0\tname`. A small letter: assume it is unchanged. `S`: it need not be in the work tree. */
function readIndex(listed: Buffer, top: string): { submodules: readonly string[]; unwatched: readonly ChangedFile[] } {
  const submodules: string[] = [];
  const unwatched: ChangedFile[] = [];
  for (const line of listed.toString("latin1").split("\0")) {
    // Nearly all of them, in a large repository.
    if (line.startsWith("H 1006") || line.startsWith("H 1007")) continue;
    const [tag = "", mode = "", object = "", stage = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    const name = line.slice(line.indexOf("\t") + 1);
    if (mode === "160000") submodules.push(name);
    else if (/^[a-zS]$/.test(tag) && stage === "0" && (isOnDisk(bytesOf(top, name)) || tag === "h"))
      unwatched.push({ name, isSubmodule: false, line: `~ ${tag} ${object}`, staged: [], unwatched: { mode, object } });
  }
  return { submodules, unwatched };
}

function isOnDisk(path: Buffer): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return false;
    throw thrown;
  }
}

/** The path of a file, for the file system. */
export function bytesOf(top: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`, "utf8"), Buffer.from(name, "latin1")]);
}
