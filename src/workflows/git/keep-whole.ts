// Makes a commit and keeps it under a ref, with every object it needs, also while the user runs
// `git gc --prune=now`. Until the ref is there, a collector takes new objects for garbage, and one that has looked at
// the refs before removes them after. So the objects are looked for once the ref is there; while a collector runs, they
// are written once more, into a pack: a collector removes single objects and packs that it saw when it started, never a
// pack that came later.

import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isSystemError, systemCode } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { processExists } from "../../lib/process-identity.ts";
import type { GitAtTop, GitOptions } from "./git.ts";

export interface KeepRequest {
  /** All of them get the commit. */
  readonly refs: readonly string[];
  /** A commit that has a ref already: its objects are there. */
  readonly known?: string | undefined;
  /** The error for what git refuses; `make` throws the same. */
  readonly refused: (problem: string) => AtomicError;
}

/** `make` is called again, with `true`, when objects it had made are gone: it must then write all of them again. */
export async function keepWhole(
  repository: Pick<GitAtTop, "git" | "commonDir">,
  request: KeepRequest,
  make: (isAgain: boolean) => Promise<string>,
): Promise<string> {
  const { refs, refused } = request;
  let commit: string | undefined;
  for (let left = mostTries; ; left--) {
    const isAgain = left < mostTries;
    try {
      commit = await make(isAgain);
      await git(repository, request, ["update-ref", "--no-deref", "--stdin"], {
        input: refs.map((ref) => `update ${ref} ${commit}\n`).join(""),
      });
      await (isAgain || isCollecting(repository) ? pack : lookFor)(repository, request, commit);
      return commit;
    } catch (thrown) {
      if (!AtomicError.is(thrown, refused("").code)) throw thrown;
      if (left > 1 && !isLasting.test(thrown.message)) continue;
      if (commit !== undefined) await dropBroken(repository, request, commit);
      throw thrown;
    }
  }
}

const mostTries = 6;

/** No collector is the cause of these, and another try, which reads every file again, changes nothing. */
const isLasting =
  /No space left on device|Disk quota exceeded|Read-only file system|[Pp]ermission denied|insufficient permission/;

/**
 * `git gc` has this file from before it looks at the refs until it has removed the last object. One that was killed
 * leaves it, and git takes no notice of it then by the same rules: else every landing would add a pack.
 */
function isCollecting({ commonDir }: Pick<GitAtTop, "commonDir">): boolean {
  const file = join(commonDir, "gc.pid");
  try {
    if (Date.now() - statSync(file).mtimeMs > longestCollectionMs) return false;
    const [, pid, host] = /^(\d+) (\S+)/.exec(readFileSync(file, "utf8")) ?? [];
    return host !== hostname() || processExists(Number(pid));
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    // A file that can't be read may be a collector's.
    return systemCode(thrown) !== "ENOENT";
  }
}

const longestCollectionMs = 12 * 3_600_000;

async function lookFor(repository: Pick<GitAtTop, "git">, request: KeepRequest, commit: string): Promise<void> {
  const without = request.known === undefined ? [] : [`^${request.known}`];
  await git(repository, request, ["rev-list", "--objects", "--quiet", commit, ...without]);
}

/** A ref to what is not there would keep the user's own git from collecting, fetching and checking. */
async function dropBroken(repository: Pick<GitAtTop, "git">, request: KeepRequest, commit: string): Promise<void> {
  const { ok } = await repository.git.run(["rev-list", "--objects", "--quiet", "--max-count=1", commit]);
  if (ok) return;
  const input = request.refs.map((ref) => `delete ${ref} ${commit}\n`).join("");
  // Refused where it is another commit's by now: then there is nothing to do.
  await repository.git.run(["update-ref", "--no-deref", "--stdin"], { input });
}

/** Fails like `lookFor` when one is missing. */
async function pack(
  repository: Pick<GitAtTop, "git" | "commonDir">,
  request: KeepRequest,
  commit: string,
): Promise<void> {
  const name = join(repository.commonDir, "objects/pack/pack");
  const without = request.known === undefined ? "" : `^${request.known}\n`;
  await git(repository, request, ["pack-objects", "--revs", "--non-empty", "--quiet", name], {
    input: `${commit}\n${without}`,
  });
}

async function git(
  repository: Pick<GitAtTop, "git">,
  { refused }: KeepRequest,
  args: readonly string[],
  options: GitOptions = {},
): Promise<void> {
  const { ok, stderr } = await repository.git.run(args, options);
  if (!ok) throw refused(`git ${args[0] ?? ""}: ${stderr || "failed"}`);
}
