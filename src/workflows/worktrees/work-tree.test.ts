import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeWork } from "./land-work.ts";
import { openRepository, type RunRepository } from "./run-repository.ts";
import { takeAhead } from "./tree-places.ts";
import { makeTreesAhead } from "./trees-ahead.ts";
import { ensureTree, findTree, listTrees, removeTree, setTree, snapshotTree } from "./work-tree.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-trees-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const top = join(root, "repository");

function git(...args: readonly string[]): string {
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const done = Bun.spawnSync(["git", ...author, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: root },
  });
  if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
  return done.stdout.toString().trim();
}

git("init", "-q", top);
writeFileSync(join(top, "a.txt"), "a\n");
writeFileSync(join(top, ".gitignore"), "build\n");
git("-C", top, "add", ".");
git("-C", top, "commit", "-qm", "Start");
const base = git("-C", top, "rev-parse", "HEAD");

let next = 1;

function open(): Promise<RunRepository> {
  const run = `${String(next++).padStart(8, "0")}-0000-4000-8000-000000000000`;
  return openRepository({ run, top, dir: join(root, run), processesDir: join(root, "processes"), base });
}

const start = { content: base, head: base };

test("many trees are made at the same time, by several runs, and removed again", async () => {
  const runs = await Promise.all([open(), open()]);
  const names = Array.from({ length: 10 }, (_, i) => `task-${i}`);

  const trees = await Promise.all(runs.flatMap((run) => names.map((name) => ensureTree(run, name, start))));

  expect(new Set(trees.map(({ folder }) => folder)).size).toBe(20);
  for (const { folder } of trees) expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a\n");
  for (const run of runs) expect(listTrees(run).toSorted()).toEqual(names);
  await Promise.all(runs.flatMap((run) => names.map((name) => removeTree(run, name))));
  for (const run of runs) expect(listTrees(run)).toEqual([]);
});

test("a tree without its mark is half made, and made again; one with it stays as it is", async () => {
  const run = await open();
  const { folder, record } = await ensureTree(run, "one", start);
  writeFileSync(join(folder, "mine.txt"), "mine\n");

  expect((await ensureTree(run, "one", start)).isNew).toBe(false);
  expect(existsSync(join(folder, "mine.txt"))).toBe(true);

  rmSync(join(record, "made"));
  expect(await findTree(run, "one", start)).toBeUndefined();
  expect((await ensureTree(run, "one", start)).isNew).toBe(true);
  expect(existsSync(join(folder, "mine.txt"))).toBe(false);
  await removeTree(run, "one");
});

test("a tree is set to a commit with new files gone, ignored ones kept, and locks of a killed git out of the way", async () => {
  const run = await open();
  const tree = await ensureTree(run, "one", start);
  writeFileSync(join(tree.folder, "a.txt"), "changed\n");
  writeFileSync(join(tree.folder, "new.txt"), "new\n");
  writeFileSync(join(tree.folder, "build"), "warm\n");
  const changed = await snapshotTree(tree);
  expect(git("-C", top, "ls-tree", "--name-only", changed)).toBe(".gitignore\na.txt\nnew.txt");
  for (const name of ["index.lock", "HEAD.lock"]) writeFileSync(join(tree.folder, ".git", name), "");
  writeFileSync(join(tree.record, "index.lock"), "");

  await setTree(tree, base, base);

  expect(readFileSync(join(tree.folder, "a.txt"), "utf8")).toBe("a\n");
  expect(existsSync(join(tree.folder, "new.txt"))).toBe(false);
  expect(existsSync(join(tree.folder, "build"))).toBe(true);
  expect(git("-C", tree.folder, "status", "--porcelain")).toBe("");
  await removeTree(run, "one");
});

test("a record of another run is not removed", async () => {
  const run = await open();
  const other = `${run.run.slice(0, 8)}-ffff-4000-8000-000000000000`;
  const theirs = await ensureTree({ ...run, run: other, dir: join(root, other) }, "one", start);

  await expect(ensureTree(run, "one", start)).rejects.toMatchObject({ code: "WORKTREE_FAILED" });

  expect(existsSync(join(theirs.folder, "a.txt"))).toBe(true);
});

test("a worker's repository has the user's branches and settings, and what it does there stays there", async () => {
  git("-C", top, "config", "user.name", 'A "quoted" name');
  git("-C", top, "remote", "add", "origin", "../elsewhere.git");
  git("init", "-q", "--bare", join(root, "elsewhere.git"));
  git("-C", top, "tag", "v1");
  const before = git("-C", top, "for-each-ref");
  const run = await open();
  const { folder } = await ensureTree(run, "one", start);
  const there = (...args: readonly string[]) => git("-C", folder, ...args);

  expect(there("config", "--local", "user.name")).toBe('A "quoted" name');
  expect(there("rev-parse", "v1", "HEAD")).toBe(`${base}\n${base}`);
  expect(there("status", "--porcelain")).toBe("");
  writeFileSync(join(folder, "a.txt"), "stashed\n");
  there("stash");
  there("checkout", "-qb", "mine");
  there("commit", "-q", "--allow-empty", "-m", "Mine");
  there("fetch", "-q", "origin");
  expect(() => there("push", "-f", "origin", "HEAD:main")).toThrow("do-not-push");
  there("gc", "-q", "--prune=now");

  expect(git("-C", top, "for-each-ref")).toBe(before);
  expect(git("-C", join(root, "elsewhere.git"), "for-each-ref")).toBe("");
  rmSync(join(folder, ".git"), { recursive: true });
  symlinkSync(join(top, ".git"), join(folder, ".git"));
  const head = readFileSync(join(top, ".git/HEAD"), "utf8");
  const again = await ensureTree(run, "one", start);
  await setTree(again, base, base);
  expect(readFileSync(join(top, ".git/HEAD"), "utf8")).toBe(head);
  expect(there("status", "--porcelain")).toBe("");
  await removeTree(run, "one");
});

test("a tree made ahead gets its name later, with what has landed since, and only as many are made as asked for", async () => {
  const run = await open();
  const head = git("-C", top, "commit-tree", "-p", base, "-m", "Landed", `${base}^{tree}`);
  for (const name of ["base", "head"]) git("-C", top, "update-ref", `refs/atomic/run/${run.run}/${name}`, base);
  await ensureTree(run, "early", start);
  await makeTreesAhead(run, 3);
  expect(listTrees(run).toSorted()).toEqual(["_ahead-1", "_ahead-2", "early"]);
  await makeTreesAhead(run, 3);
  expect(listTrees(run)).toHaveLength(3);

  const tree = await ensureTree(run, "one", { content: head, head });
  expect(tree.isNew).toBe(true);
  expect(git("-C", tree.folder, "rev-parse", "HEAD")).toBe(head);
  expect(
    listTrees(run)
      .map((name) => name.replace(/\d$/, ""))
      .toSorted(),
  ).toEqual(["_ahead-", "early", "one"]);
  writeFileSync(join(tree.folder, "mine.txt"), "mine\n");
  await removeTree(run, "early");
  await makeTreesAhead(run, 4);
  expect(existsSync(join(tree.folder, "mine.txt"))).toBe(true);
  expect((await ensureTree(run, "one", start)).folder).toBe(tree.folder);
  for (const name of listTrees(run)) await removeTree(run, name);
  expect(existsSync(tree.folder)).toBe(false);
});

test("a tree made ahead whose process is killed when it has just been named holds what has landed", async () => {
  const run = await open();
  for (const name of ["base", "head"]) git("-C", top, "update-ref", `refs/atomic/run/${run.run}/${name}`, base);
  const landed = git("-C", top, "hash-object", "-w", join(top, "a.txt"));
  const listing = `${git("-C", top, "ls-tree", base)}\n100644 blob ${landed}\tlanded.txt\n`;
  const made = Bun.spawnSync(["git", "-C", top, "mktree"], { stdin: Buffer.from(listing), env: { HOME: root } });
  const head = git("-C", top, "commit-tree", "-p", base, "-m", "Landed", made.stdout.toString().trim());
  await makeTreesAhead(run, 1);
  expect(takeAhead(run, "one")).toBe(true);

  const tree = await ensureTree(run, "one", { content: head, head });
  expect(tree.isNew).toBe(true);
  expect(existsSync(join(tree.folder, "landed.txt"))).toBe(true);
  for (const name of listTrees(run)) await removeTree(run, name);
});

test("what is added for a run is on the disk when the call returns", async () => {
  const { git: runGit } = await open();
  const trace = join(root, "trace");

  const added = await runGit.run(["hash-object", "-w", "--stdin"], {
    input: "new to the repository\n",
    env: { GIT_TRACE2_PERF: trace },
  });

  expect(added.ok).toBe(true);
  expect(readFileSync(trace, "utf8")).toContain("fsync/hardware-flush:1");
});

test("work is committed on the commit that its tree was made from, whatever has landed since", async () => {
  const run = await open();
  await ensureTree(run, "one", start);
  const later = git("-C", top, "commit-tree", "-p", base, "-m", "Landed", `${base}^{tree}`);

  const work = { message: "Work\n", at: 0, keepDir: join(root, "not-landed"), conflicts: [] };
  const taken = await takeWork(run, { ...work, name: "one", start: { content: later, head: later } });

  expect(git("-C", top, "rev-parse", `${taken.commit}^`)).toBe(base);
  await removeTree(run, "one");
});
