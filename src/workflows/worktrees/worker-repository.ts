// The repository that a worker finds in its folder: a separate one, which borrows the user's objects. Whatever the
// worker does there (stash, branches, commits, `git worktree remove`, `git gc`), neither the user's repository nor
// another worker's sees it. Our own calls never go through it: they read the folder's files, and nothing else.
//
// It has a copy of the user's branches, tags and settings, so that `git log main` works. Hooks are left out, and
// remotes can be fetched from but not pushed to.

import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import type { Git } from "../git/git.ts";
import { must, treeError } from "./run-repository.ts";

/** The repository whose objects are borrowed. */
export interface LentRepository {
  readonly git: Git;
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/** Makes it, or makes it again where the worker broke it, and points it to a commit. `index`: becomes the worker's. */
export async function pointWorkerRepository(
  lent: LentRepository,
  folder: string,
  { head, index }: { readonly head: string; readonly index: string },
): Promise<void> {
  const own = join(folder, ".git");
  if (!isUsable(own, lent)) await makeRepository(lent, folder, head);
  for (const name of underWay) removeFolder(join(own, name));
  writeFileAtomically(join(own, "HEAD"), `${head}\n`, "shared");
  // A worker may have put a link there.
  removeFolder(join(own, "index.atomic"));
  copyFileSync(index, join(own, "index.atomic"), constants.COPYFILE_EXCL);
  renameSync(join(own, "index.atomic"), join(own, "index"));
}

/** As the worker left it, unless it can't be used: then one at that commit, with the index that we have. */
export async function repairWorkerRepository(
  lent: LentRepository,
  folder: string,
  start: { readonly head: string; readonly index: string },
): Promise<void> {
  if (!isUsable(join(folder, ".git"), lent)) await pointWorkerRepository(lent, folder, start);
}

/** What a merge, a rebase or a killed git left. It would not fit the files that are there now. */
const underWay = [
  ...["index.lock", "HEAD.lock", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG"],
  ...["CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "rebase-merge", "rebase-apply", "sequencer"],
];

/** Never through a link: it may lead to the user's repository. */
function isUsable(own: string, lent: LentRepository): boolean {
  const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (![own, join(own, "refs"), join(own, "objects"), join(own, "objects/info")].every(isFolder)) return false;
  const alternates = join(own, "objects/info/alternates");
  const isFile = lstatSync(alternates, { throwIfNoEntry: false })?.isFile() === true;
  return isFile && readFileSync(alternates, "utf8") === alternatesOf(lent);
}

async function makeRepository(lent: LentRepository, folder: string, head: string): Promise<void> {
  const own = join(folder, ".git");
  removeFolder(own);
  for (const name of ["refs/heads", "refs/tags", "objects/info", "objects/pack", "info"])
    mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, "HEAD"), `${head}\n`);
  writeFileSync(join(own, "objects/info/alternates"), alternatesOf(lent));
  writeFileSync(join(own, "packed-refs"), await copiedRefs(lent));
  writeFileSync(join(own, "config"), await copiedConfig(lent, head));
  for (const [from, name] of copiedFiles) {
    const source = join(from === "own" ? lent.gitDir : lent.commonDir, name);
    if (lstatSync(source, { throwIfNoEntry: false })?.isFile() === true) copyFileSync(source, join(own, name));
  }
}

/** `shallow`: where the history ends. */
const copiedFiles = [
  ["common", "shallow"],
  ["common", "info/exclude"],
  ["common", "info/attributes"],
  ["own", "info/sparse-checkout"],
] as const;

/** A path that starts with a quote would be taken for a quoted one. It can't: it starts with a slash. */
function alternatesOf({ commonDir }: LentRepository): string {
  const objects = join(commonDir, "objects");
  if (objects.includes("\n")) throw treeError(`${JSON.stringify(objects)} has a line break in its name.`);
  return `${objects}\n`;
}

async function copiedRefs({ git }: LentRepository): Promise<string> {
  const listed = await must(git, ["for-each-ref", "--format=%(objectname) %(refname)", ...copiedNames]);
  return listed === "" ? "" : `# pack-refs with: sorted \n${listed}\n`;
}

const copiedNames = ["refs/heads", "refs/notes", "refs/remotes", "refs/replace", "refs/tags"];

/** What belongs to one place only, runs programs by itself, or would send a push somewhere. */
const leftOut =
  /^(?:core\.(?:worktree|bare|hookspath|fsmonitor|repositoryformatversion|splitindex|untrackedcache|logallrefupdates)|(?:extensions|include|includeif|gc|maintenance|submodule|hook)\..*|remote\..*\.(?:pushurl|push|mirror|promisor|partialclonefilter))$/;

/** A push fails, and git says this name. */
const noPush = "workers-of-a-run-do-not-push";

async function copiedConfig({ git, top }: LentRepository, head: string): Promise<string> {
  const { ok, stdout, stderr } = await git.run(["config", "--list", "--includes", "--show-scope", "-z"]);
  if (!ok) throw treeError(`git config: ${stderr || "failed"}.`);
  const fields = stdout.toString("utf8").split("\0");
  const lines: string[] = [];
  const remotes = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, pair = ""] = [fields[at], fields[at + 1]];
    if (scope !== "local" && scope !== "worktree") continue;
    const end = pair.includes("\n") ? pair.indexOf("\n") : pair.length;
    const [key, value] = [pair.slice(0, end), end === pair.length ? undefined : pair.slice(end + 1)];
    if (leftOut.test(key)) continue;
    const remote = /^remote\.(.+)\.url$/s.exec(key)?.[1];
    if (remote !== undefined) remotes.add(remote);
    lines.push(configLine(key, remote === undefined || value === undefined ? value : urlFrom(top, value)));
  }
  for (const remote of remotes) lines.push(configLine(`remote.${remote}.pushurl`, noPush));
  const isLong = head.length > 40;
  const format = isLong
    ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = "sha256"\n'
    : "\trepositoryformatversion = 0\n";
  return `[core]\n${format}[core]\n\tbare = false\n\tlogAllRefUpdates = true\n${lines.join("")}`;
}

/** One that is a path counts from the user's folder. */
function urlFrom(top: string, url: string): string {
  const isPath = !/^[\w+.-]+:/.test(url) && !isAbsolute(url);
  return isPath && existsSync(resolve(top, url)) ? resolve(top, url) : url;
}

function configLine(key: string, value: string | undefined): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const section = key.slice(0, first);
  const heading = first === last ? section : `${section} ${quoted(key.slice(first + 1, last))}`;
  return `[${heading}]\n\t${key.slice(last + 1)}${value === undefined ? "" : ` = ${quoted(value)}`}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
