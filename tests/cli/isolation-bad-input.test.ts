// Repositories in an odd state, and users who work in theirs while workers do. `npm run matrix:landing` raises the sizes.

import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, type IsolationWorld, release, untilFile } from "./isolation-world.ts";

setDefaultTimeout(patienceMs);

const manyFiles = Number(process.env["ATOMIC_ISOLATION_FILES"] ?? 1000);

function turn(task: string, ...commands: readonly string[]): object {
  return { agent: "worker", task, steps: [...commands.map((bash) => ({ bash, expect: 0 })), { say: "done" }] };
}

/** What the user's git says about a ref whose commit it does not find. */
const brokenRef = /bad object|not point to a valid object/;

const two = [{ id: "1" }, { id: "2" }];

function stateFiles(world: IsolationWorld, ...names: readonly string[]): readonly string[] {
  return names.map((name) => readFileSync(join(world.project, ".git", name), "latin1"));
}

test("in the middle of a merge, workers see the conflict, and the merge is as it was", async () => {
  const world = createIsolationWorld();
  world.git("checkout", "-q", "--", "other.txt");
  world.git("checkout", "-qb", "side");
  world.put("shared.txt", "side\n");
  world.git("commit", "-qam", "Side");
  world.git("checkout", "-q", "main");
  world.put("shared.txt", "main\n");
  world.git("commit", "-qam", "Main");
  expect(() => world.git("merge", "side")).toThrow();
  const before = [world.git("ls-files", "--stage"), ...stateFiles(world, "MERGE_HEAD", "HEAD", "index")];
  const script = world.plan(two, [
    turn("1", "grep -q '<<<<<<<' shared.txt && echo 1 > 1.txt"),
    turn("2", "echo 2 > 2.txt"),
  ]);

  const run = await world.ralph(script);

  expect(run.exitCode).toBe(0);
  expect(world.file("1.txt") + world.file("2.txt")).toBe("1\n2\n");
  expect(world.file("shared.txt")).toContain("<<<<<<<");
  expect([world.git("ls-files", "--stage"), ...stateFiles(world, "MERGE_HEAD", "HEAD", "index")]).toEqual(before);
});

test("in the middle of a rebase, in a linked work tree, with the branch checked out elsewhere", async () => {
  const world = createIsolationWorld();
  world.git("checkout", "-q", "--", "other.txt");
  world.git("checkout", "-qb", "side");
  world.put("shared.txt", "side\n");
  world.git("commit", "-qam", "Side");
  world.git("checkout", "-q", "main");
  world.put("shared.txt", "main\n");
  world.git("commit", "-qam", "Main");
  const linked = join(world.root, "linked");
  world.git("worktree", "add", "-q", linked, "side");
  const there = (...args: readonly string[]): string => world.git("-C", linked, ...args);
  expect(() => there("rebase", "main")).toThrow();
  const before = [there("ls-files", "--stage"), there("status"), world.userState()];
  const script = world.plan(two, [turn("1", "echo 1 > 1.txt"), turn("2", "echo 2 > 2.txt")]);

  const run = await world.start(["ralph", "Do it", "--script", script, "--max-reviews", "0", "--land", "none"], {
    cwd: linked,
  }).ended;

  expect(run.exitCode).toBe(0);
  expect([there("ls-files", "--stage"), there("status"), world.userState()]).toEqual(before);
  expect(world.git("show", `${world.head()}:2.txt`)).toBe("2\n");
  const landed = await world.start(["land", world.onlyRun()], { cwd: linked }).ended;
  expect(landed.exitCode).toBe(0);
  expect(readFileSync(join(linked, "1.txt"), "utf8")).toBe("1\n");
});

test("a shallow clone with line endings, names that are not UTF-8 and names that differ only in case", async () => {
  const world = createIsolationWorld();
  const clone = join(world.root, "clone");
  world.put("mixed/Case.txt", "upper\n");
  world.put("mixed/case.txt", "lower\n");
  world.put(".gitattributes", "*.txt text eol=crlf\n");
  writeFileSync(Buffer.concat([Buffer.from(`${world.project}/caf`), Buffer.from([0xe9])]), "latin\n");
  world.git("add", ".");
  world.git("commit", "-qam", "More");
  world.git("clone", "-q", "--depth", "1", `file://${world.project}`, clone);
  const there = (...args: readonly string[]): string => world.git("-C", clone, ...args);
  const script = world.plan(two, [
    turn("1", "printf 'top\\r\\nHOT\\r\\none\\r\\nbottom\\r\\n' > shared.txt", "git log -1 --format=%s > log.md"),
    turn(
      "2",
      "for f in caf*; do echo more >> $f; done",
      "printf 'UPPER\\r\\n' > mixed/Case.txt",
      "printf x > n$(printf '\\351')w",
    ),
  ]);

  const run = await world.start(["ralph", "Do it", "--script", script, "--max-reviews", "0"], { cwd: clone }).ended;

  expect(run.exitCode).toBe(0);
  expect(run.stderr + run.stdout).not.toContain("workers share your folder");
  expect(readFileSync(join(clone, "shared.txt"), "latin1")).toBe("top\r\nHOT\r\none\r\nbottom\r\n");
  expect(readFileSync(join(clone, "mixed/case.txt"), "latin1")).toBe("lower\r\n");
  expect(readFileSync(join(clone, "mixed/Case.txt"), "latin1")).toBe("UPPER\r\n");
  expect(readFileSync(join(clone, "log.md"), "utf8")).toBe("More\n");
  const names = readdirSync(Buffer.from(clone), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  expect(names).toContain("n\xe9w");
  expect(readFileSync(Buffer.concat([Buffer.from(`${clone}/caf`), Buffer.from([0xe9])]), "utf8")).toBe("latin\nmore\n");
  expect(there("diff", "--stat", "HEAD", "--", "shared.txt")).toContain("1 insertion(+)");
  there("fsck", "--strict", "--no-dangling");
});

test("a sparse checkout: workers have what the user has, and what is left out is neither changed nor removed", async () => {
  const world = createIsolationWorld();
  world.put("in/a.txt", "a\n");
  world.put("out/b.txt", "b\n");
  world.git("add", ".");
  world.git("commit", "-qm", "Folders");
  world.git("sparse-checkout", "set", "in");
  const before = world.userState();
  const script = world.plan(two, [turn("1", "test ! -e out && echo 1 > in/1.txt"), turn("2", "echo 2 > in/a.txt")]);

  const run = await world.ralph(script, "--land", "none");

  expect(run.exitCode).toBe(0);
  expect(world.userState()).toBe(before);
  expect(world.git("show", `${world.head()}:out/b.txt`)).toBe("b\n");
  expect(world.git("show", `${world.head()}:in/a.txt`)).toBe("2\n");
  expect((await world.run(["land", world.onlyRun()])).exitCode).toBe(0);
  expect(world.file("in/a.txt") + world.file("in/1.txt")).toBe("2\n1\n");
  expect(existsSync(join(world.project, "out"))).toBe(false);
});

test("a bare repository has no files to work on, and the run says so", async () => {
  const world = createIsolationWorld();
  const bare = join(world.root, "bare.git");
  world.git("clone", "-q", "--bare", world.project, bare);
  const script = world.plan([{ id: "1" }], [turn("1", "true")]);

  const run = await world.start(["ralph", "Do it", "--script", script, "--max-reviews", "0"], { cwd: bare }).ended;

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain(`${bare} is a bare repository, which has no files: work in a clone of it`);
});

test("a user who edits, commits, switches branches, collects garbage and prunes meanwhile disturbs nothing", async () => {
  const world = createIsolationWorld();
  world.git("checkout", "-q", "--", "other.txt");
  const collect = `git -C ${world.project} gc -q --prune=now; git -C ${world.project} worktree prune`;
  const script = world.plan(
    [...two, { id: "3", blockedBy: ["1", "2"] }],
    [
      turn(
        "1",
        "echo 1 > 1.txt",
        "git add 1.txt",
        `until test -e ${join(world.root, "go")}; do sleep 0.02; done`,
        collect,
      ),
      turn(
        "2",
        "echo 2 > 2.txt",
        `until test -e ${join(world.root, "go")}; do sleep 0.02; done`,
        collect,
        "git status",
      ),
      turn("3", collect, "cat 1.txt 2.txt > 3.txt"),
    ],
  );
  const live = world.startRalph(script);
  await live.seen("→ 2");
  world.git("checkout", "-qb", "users");
  world.put("shared.txt", "the user's\n");
  world.git("commit", "-qam", "The user's");
  world.put("draft.txt", "draft, edited\n");
  // Again and again while the work lands: objects that no ref names are gone at once.
  const collecting = Bun.spawn(["sh", "-c", `for i in 1 2 3 4 5 6; do ${collect}; done`], {
    ...{ cwd: world.project, env: world.env, stderr: "pipe" },
  });
  release(world, "go");

  const run = await live.ended;
  const complaints = await new Response(collecting.stderr).text();

  expect(run.exitCode).toBe(0);
  // At no moment was there a ref to what is not there.
  expect(complaints).not.toMatch(brokenRef);
  expect(world.file("3.txt")).toBe("1\n2\n");
  expect(world.file("shared.txt")).toBe("the user's\n");
  expect(world.file("draft.txt")).toBe("draft, edited\n");
  expect(world.git("log", "-1", "--format=%s %D")).toBe("The user's HEAD -> users\n");
  expect(world.leftTrees()).toEqual([]);
  world.git("fsck", "--strict", "--no-dangling");
});

test("a user who packs and prunes by hand, again and again, disturbs nothing", async () => {
  const world = createIsolationWorld();
  const stop = join(world.root, "stop");
  const prune = `until test -e ${stop}; do git repack -adq; git prune --expire=now; done`;
  const script = world.plan(
    [...two, { id: "3", blockedBy: ["1", "2"], verify: "test -s 3.txt && echo > made-by-a-check" }],
    [turn("1", "echo 1 > 1.txt"), turn("2", "echo 2 > 2.txt"), turn("3", "cat 1.txt 2.txt > 3.txt")],
  );
  const pruning = Bun.spawn(["sh", "-c", prune], { cwd: world.project, env: world.env, stderr: "pipe" });

  const run = await world.ralph(script);
  release(world, "stop");
  const complaints = await new Response(pruning.stderr).text();

  expect(run.exitCode, run.stderr).toBe(0);
  expect(complaints).not.toMatch(brokenRef);
  expect(world.file("3.txt")).toBe("1\n2\n");
  expect(world.leftTrees()).toEqual([]);
  world.git("fsck", "--strict", "--no-dangling");
});

test("a tree that was deleted by hand while the run was paused is made again", async () => {
  const world = createIsolationWorld();
  const script = world.plan([{ id: "1" }], [turn("1", "test -e one.txt || echo 1 > one.txt")]);
  const waiting = world.script("waiting", [
    { agent: "planner", steps: [{ say: '{"tasks":[{"id":"1","title":"One"}]}' }] },
    { agent: "worker", steps: [{ bash: "echo half > one.txt" }, untilFile(world, "never"), { say: "x" }] },
  ]);
  const live = world.startRalph(waiting);
  await live.seen("→ 1");
  live.signal("SIGKILL");
  await live.ended;
  rmSync(join(world.sessions, world.onlyRun(), "trees"), { recursive: true });
  writeFileSync(waiting, readFileSync(script));

  const run = await world.run(["resume", world.onlyRun()]);

  expect(run.exitCode).toBe(0);
  expect(world.file("one.txt")).toBe("1\n");
  expect(world.leftTrees()).toEqual([]);
});

test(`an empty result, and one of ${manyFiles} files`, async () => {
  const world = createIsolationWorld();
  const script = world.plan(two, [
    turn("1", "true"),
    turn("2", `mkdir many && cd many && seq 1 ${manyFiles} | xargs -n 1000 sh -c 'for i; do echo $i > $i.txt; done' _`),
  ]);

  const run = await world.ralph(script);

  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain("1  Task 1: completed");
  expect(readdirSync(join(world.project, "many")).length).toBe(manyFiles);
  expect(world.file(`many/${manyFiles}.txt`)).toBe(`${manyFiles}\n`);
  // The files of a large tree are removed after the run.
  await eventually("no tree is left", () => world.leftTrees().length === 0, 300_000);
}, 900_000);

function mount(...args: readonly string[]): boolean {
  return spawnSync("mount", args, { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, stdio: "ignore" }).status === 0;
}

function unmount(path: string): void {
  spawnSync("umount", [path], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, stdio: "ignore" });
}

/** Mounting needs rights that not every user has. */
const canMount = ((): boolean => {
  const probe = mkdtempSync(join(tmpdir(), "atomic-mount-"));
  const works = process.getuid?.() === 0 && mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", probe);
  if (works) unmount(probe);
  else process.stderr.write("SKIPPED: a full disk while a tree is made (no tmpfs can be mounted here)\n");
  rmSync(probe, { recursive: true });
  return works;
})();

test.if(canMount)(
  "a disk that is full while a tree is made stops the run, and it resumes once there is room",
  async () => {
    const world = createIsolationWorld();
    const disk = join(world.root, "disk");
    mkdirSync(disk);
    world.put("large.txt", "0123456789abcdef".repeat(64 * 1024));
    world.git("add", ".");
    world.git("commit", "-qm", "Large");
    const env = { ATOMIC_WORKTREES_DIR: disk };
    const script = world.plan(two, [turn("1", "echo 1 > 1.txt"), turn("2", "echo 2 > 2.txt")]);
    expect(mount("-t", "tmpfs", "-o", "size=600k", "tmpfs", disk)).toBe(true);
    try {
      const before = world.userState();
      const run = await world.start(["ralph", "Do it", "--script", script, "--max-reviews", "0"], { env }).ended;
      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("Its disk has 0 MB left: make room, or set worktrees.dir.");
      expect(world.userState()).toBe(before);
      expect(mount("-o", "remount,size=64m", disk)).toBe(true);

      const resumed = await world.run(["resume", world.onlyRun()]);

      expect(resumed.exitCode).toBe(0);
      expect(world.file("1.txt") + world.file("2.txt")).toBe("1\n2\n");
      expect(world.leftTrees()).toEqual([]);
    } finally {
      unmount(disk);
    }
  },
);
