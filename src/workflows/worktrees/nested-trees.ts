// Repositories inside the repository: submodules, and clones that were not added. A work tree gets each of them as the
// user has it, changed files included, without the network: a separate repository that borrows the objects of
// the user's copy. What a worker changes there does not land, because the outer repository could only name a commit that
// no one else has. It is kept as a commit in the user's copy, and reported.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import { type GitStatus, readGitStatus } from "../git/git-status.ts";
import { Git, type GitAtTop } from "../git/git.ts";
import { keepWhole, withNewObjects } from "../git/keep-whole.ts";
import { commitTree } from "./commit.ts";
import { treeOfFiles } from "./files-tree.ts";
import { gitRefused, longGitMs, must, type RunRepository } from "./run-repository.ts";
import { runRef } from "./run-refs.ts";
import { pointWorkerRepository } from "./worker-repository.ts";

interface NestedBase {
  /** Below the top of the outer repository. */
  readonly name: string;
  /** The commit of the user's copy, and its files when the tree was made. */
  readonly head: string;
  readonly tree: string;
  /** Repositories inside this one. */
  readonly inner: readonly string[];
}

export interface NestedChange {
  readonly name: string;
  /** Null when the worker removed the folder. */
  readonly ref: string | null;
}

const listFolder = "nested";
/** Repositories in repositories in repositories. */
const maxLevels = 8;

/** Folders of submodules and of other repositories, without the slash at the end. */
export function nestedNames({ files, submodules }: Pick<GitStatus, "files" | "submodules">): readonly string[] {
  const untracked = files.filter(({ name, isSubmodule }) => !isSubmodule && name.endsWith("/")).map(({ name }) => name);
  const names = [...untracked, ...submodules].map((name) => Buffer.from(name, "latin1").toString("utf8"));
  return [...new Set(names.map((name) => name.replace(/\/$/, "")))];
}

export async function fillNested(repository: RunRepository, folder: string, record: string): Promise<void> {
  let count = 0;
  const fill = async (name: string, level: number): Promise<void> => {
    const found = await openNested(repository.top, name);
    if (found === undefined) return;
    const status = await readGitStatus(found.git, found.top);
    if ("problem" in status || status.commit === undefined) return;
    const place = join(record, listFolder, String(count++));
    mkdirSync(place, { recursive: true });
    const target = join(folder, name);
    mkdirSync(target, { recursive: true });
    const { git } = found;
    const tree = await treeOfFiles(git, { ...status, commit: status.commit });
    const env = { GIT_INDEX_FILE: join(place, "index") };
    await must(git.withFilesIn(target), ["read-tree", "--reset", "-u", tree], { env, limitMs: longGitMs });
    await pointWorkerRepository(found, target, { head: status.commit, index: env.GIT_INDEX_FILE });
    const inner = nestedNames(status);
    const base: NestedBase = { name, head: status.commit, tree, inner };
    writeFileAtomically(join(place, "base"), JSON.stringify(base));
    if (level < maxLevels) for (const each of inner) await fill(`${name}/${each}`, level + 1);
  };
  for (const name of repository.nested ?? []) await fill(name, 1);
}

/** Keeps what the worker changed in them. `task`: the name of the task's ref. */
export async function keepNested(
  {
    repository,
    folder,
    record,
  }: { readonly repository: RunRepository; readonly folder: string; readonly record: string },
  commit: { readonly task: string; readonly message: string; readonly at: number },
): Promise<readonly NestedChange[]> {
  const changes: NestedChange[] = [];
  for (const place of placesIn(record)) {
    const { name, head, tree, inner } = JSON.parse(readFileSync(join(place, "base"), "utf8")) as NestedBase;
    const found = await openNested(repository.top, name);
    if (found === undefined) continue;
    const target = join(folder, name);
    if (lstatSync(target, { throwIfNoEntry: false })?.isDirectory() !== true) {
      changes.push({ name, ref: null });
      continue;
    }
    const env = { GIT_INDEX_FILE: join(place, "index") };
    rmSync(`${env.GIT_INDEX_FILE}.lock`, { force: true });
    const left = inner.map((each) => `:(exclude,top,literal)${each}`);
    const write = async (git: Git): Promise<string> => {
      await must(git, ["add", "-A", "--", ".", ...left], { env, limitMs: longGitMs, registry: repository.registry });
      return must(git, ["write-tree"], { env });
    };
    const written = await withNewObjects(found, gitRefused, (apart) => write(apart.withFilesIn(target)));
    if (written === tree) continue;
    const { task, message, at } = commit;
    const ref = runRef(repository.run, "task", task);
    // Left by a git that was killed: only this task writes the ref.
    rmSync(join(found.commonDir, `${ref}.lock`), { force: true });
    await keepWhole(found, { refs: [ref], known: head, refused: gitRefused }, async (kept) => {
      // An index that knows the files would not read them again.
      await must(kept, ["read-tree", head], { env });
      return commitTree(kept, { tree: await write(kept.withFilesIn(target)), parent: head, message, at });
    });
    changes.push({ name, ref });
  }
  return changes;
}

function placesIn(record: string): readonly string[] {
  const folder = join(record, listFolder);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((place) => existsSync(join(place, "base")));
}

/** Undefined if it is not checked out, or not a usable repository. */
export async function openNested(top: string, name: string): Promise<GitAtTop | undefined> {
  const path = join(top, name);
  if (!existsSync(path)) return undefined;
  const found = await Git.atTop(path);
  if (found === undefined || "problem" in found) return undefined;
  return realpathSync(found.top) === realpathSync(path) ? found : undefined;
}
