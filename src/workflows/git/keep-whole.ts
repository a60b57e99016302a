// Makes a commit and keeps it under refs, with every object it needs, whatever collects garbage meanwhile: the user's
// `git gc --prune=now`, or `git repack` and `git prune` by hand. To a collector, objects that no ref names are garbage,
// and one that has looked at the refs before removes them after.
//
// So new objects are written where no collector looks, and come into the repository as one pack with a `.keep` file,
// which collectors leave alone; `git fetch` does the same. Only then the refs are written: a ref never names what is not
// there. After that the `.keep` goes, and the user's next collection treats the pack like any other.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder, sweepTempFolders } from "../../lib/temp-folder.ts";
import { type AddedPack, combinePacks, packsToCombine, publishPack, sweepGuards } from "./added-packs.ts";
import type { Git, GitAtTop, GitOptions } from "./git.ts";

export interface KeepRequest {
  /** All of them get the commit. */
  readonly refs: readonly string[];
  /** A commit that has a ref already: its objects are there. */
  readonly known?: string | undefined;
  /** The error for what git refuses; `make` throws the same. */
  readonly refused: (problem: string) => AtomicError;
}

/**
 * Writes what the commit needs, through the git that it gets. Called again, with `true`, when objects that it relied on
 * are gone: it must then write all of them.
 */
export type MakeCommit = (git: Git, isAgain: boolean) => Promise<string>;

type Repository = Pick<GitAtTop, "git" | "commonDir">;

export async function keepWhole(repository: Repository, request: KeepRequest, make: MakeCommit): Promise<string> {
  const { refs, refused } = request;
  const keep = (isAgain: boolean): Promise<string> =>
    withNewObjects(repository, refused, async (git, objects) => {
      const commit = await make(git, isAgain);
      const added = await addPack(repository, request, { git, objects, commit });
      const input = refs.map((ref) => `update ${ref} ${commit}\n`).join("");
      try {
        await must(repository.git, request, ["update-ref", "--no-deref", "--stdin"], { input });
      } finally {
        if (added !== undefined) rmSync(added.guard, { force: true });
      }
      const many = added === undefined ? [] : packsToCombine(repository.commonDir, added.name);
      if (many.length > 0) await combinePacks(repository, objects, many);
      return commit;
    });
  for (let left = maxTries; ; left--) {
    try {
      return await keep(left < maxTries);
    } catch (thrown) {
      if (!AtomicError.is(thrown, refused("").code)) throw thrown;
      if (left <= 1 || isLasting.test(thrown.message)) throw thrown;
    }
  }
}

/**
 * What the git that it gets writes is in a separate folder, where no collector looks, and gone at the end. What the
 * system refuses is refused like that.
 */
export async function withNewObjects<T>(
  { git, commonDir }: Repository,
  refused: KeepRequest["refused"],
  work: (git: Git, objects: string) => Promise<T>,
): Promise<T> {
  const folder = join(commonDir, "atomic");
  let objects: string | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    objects = makeTempFolder("objects", folder);
    return await work(git.withObjectsIn(objects, commonDir), objects);
  } catch (thrown) {
    throw isSystemError(thrown) ? refused(messageOf(thrown)) : thrown;
  } finally {
    if (objects !== undefined) removeFolder(objects);
  }
}

const maxTries = 6;

/** No collector is the cause of these, and another try, which reads every file again, changes nothing. */
const isLasting =
  /EACCES|EDQUOT|ENOSPC|EROFS|No space left on device|Disk quota exceeded|Read-only file system|[Pp]ermission denied|insufficient permission/;

interface NewObjects {
  readonly git: Git;
  readonly objects: string;
  readonly commit: string;
}

/** Undefined when there is nothing new. Refused when an object is missing. */
async function addPack(
  { commonDir }: Repository,
  request: KeepRequest,
  { git, objects, commit }: NewObjects,
): Promise<AddedPack | undefined> {
  const without = request.known === undefined ? "" : `^${request.known}\n`;
  const args = ["pack-objects", "--revs", "--non-empty", "--quiet", join(objects, "pack")];
  const hash = await must(git.withLastingObjects(), request, args, { input: `${commit}\n${without}` });
  return hash === "" ? undefined : publishPack(commonDir, objects, hash);
}

/** What processes left that were killed while they kept a commit. */
export function sweepUnkept(commonDir: string, now: number): void {
  sweepTempFolders(now, join(commonDir, "atomic"));
  sweepGuards(commonDir);
}

async function must(
  git: Git,
  { refused }: KeepRequest,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const { ok, stdout, stderr } = await git.run(args, options);
  if (!ok) throw refused(`git ${args[0] ?? ""}: ${stderr || "failed"}`);
  return stdout.toString("utf8").trim();
}
