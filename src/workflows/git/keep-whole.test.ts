import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { Git, type GitAtTop } from "./git.ts";
import { keepWhole } from "./keep-whole.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-whole-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const refs = ["refs/atomic/run/1/task/1"];
const refused = (problem: string): AtomicError => new AtomicError("WORKTREE_FAILED", problem);

async function createWorld() {
  const top = mkdtempSync(join(root, "repository-"));
  const git = (...args: readonly string[]): string => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const done = Bun.spawnSync(["git", ...author, ...args], {
      cwd: top,
      env: { PATH: process.env["PATH"], HOME: root },
    });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
    return done.stdout.toString().trim();
  };
  git("init", "-q");
  git("commit", "-qm", "Start", "--allow-empty");
  const known = git("rev-parse", "HEAD");
  const repository = (await Git.atTop(top)) as GitAtTop;
  /** A commit that no ref names. */
  const commit = (): string => {
    writeFileSync(join(top, "new.txt"), "new\n");
    const blob = git("hash-object", "-w", "new.txt");
    const index = Bun.spawnSync(["git", "mktree"], { cwd: top, stdin: Buffer.from(`100644 blob ${blob}\tnew.txt\n`) });
    return git("commit-tree", "-p", known, "-m", "New", index.stdout.toString().trim());
  };
  return {
    ...{ git, known, repository, commit },
    startCollecting: (pid = process.pid, host = hostname()) =>
      writeFileSync(join(repository.commonDir, "gc.pid"), `${pid} ${host}`),
    packs: () => readdirSync(join(repository.commonDir, "objects/pack")).filter((name) => name.endsWith(".pack")),
    endCollecting: () => rmSync(join(repository.commonDir, "gc.pid")),
    garbage: () =>
      git("prune", "--dry-run", "--expire=now")
        .split("\n")
        .map((line) => line.slice(0, 40)),
    remove: (objects: readonly string[]) => {
      for (const name of objects) rmSync(join(repository.commonDir, "objects", name.slice(0, 2), name.slice(2)));
    },
  };
}

test("a collector that looked before the ref was there, and removes what it found after, takes nothing away", async () => {
  const world = await createWorld();
  let found: readonly string[] = [];
  world.startCollecting();

  const kept = await keepWhole(world.repository, { refs, known: world.known, refused }, async () => {
    const commit = world.commit();
    found = world.garbage();
    return commit;
  });
  world.remove(found);
  world.endCollecting();

  expect(found).toHaveLength(3);
  expect(world.git("show", `${refs[0]}:new.txt`)).toBe("new");
  expect(world.git("rev-parse", refs[0] as string)).toBe(kept);
  world.git("gc", "-q", "--prune=now");
  world.git("fsck", "--strict", "--no-dangling");
});

test("objects that are gone when the ref is there are made again", async () => {
  const world = await createWorld();
  const made: boolean[] = [];

  const kept = await keepWhole(world.repository, { refs, known: world.known, refused }, async (isAgain) => {
    made.push(isAgain);
    const commit = world.commit();
    if (!isAgain) world.remove(world.garbage().filter((name) => name !== commit));
    return commit;
  });

  expect(made).toEqual([false, true]);
  expect(world.git("show", `${kept}:new.txt`)).toBe("new");
});

test("what git refuses every time is the caller's error", async () => {
  const { repository, known } = await createWorld();
  let tries = 0;
  const keep = keepWhole(repository, { refs, known, refused }, () => Promise.resolve(String(++tries)));

  await expect(keep).rejects.toThrow(/^git update-ref: .*invalid/);
  expect(tries).toBe(6);
});

test("a commit that needs nothing new is kept, also beside a collector", async () => {
  const { repository, known, git, startCollecting } = await createWorld();
  startCollecting();

  await keepWhole(repository, { refs: [...refs, "refs/atomic/run/1/head"], known, refused }, () =>
    Promise.resolve(known),
  );

  expect(git("for-each-ref", "--format=%(objectname)", "refs/atomic")).toBe(`${known}\n${known}`);
});

test("what a disk or its permissions refuse is not tried again", async () => {
  const { repository, known } = await createWorld();
  for (const problem of ["error: file write error: No space left on device", "fatal: insufficient permission"]) {
    let tries = 0;
    const keep = keepWhole(repository, { refs, known, refused }, () => {
      tries++;
      return Promise.reject(refused(problem));
    });
    await expect(keep).rejects.toThrow(problem);
    expect(tries).toBe(1);
  }
});

test("only a collector that is still running makes a pack", async () => {
  const world = await createWorld();
  const keep = (): Promise<string> =>
    keepWhole(world.repository, { refs, known: world.known, refused }, () => Promise.resolve(world.commit()));
  const { pid } = Bun.spawnSync(["true"]);

  world.startCollecting(pid);
  await keep();
  world.startCollecting();
  const file = join(world.repository.commonDir, "gc.pid");
  const yesterday = Date.now() / 1000 - 24 * 3600;
  utimesSync(file, yesterday, yesterday);
  await keep();
  expect(world.packs()).toEqual([]);

  world.startCollecting(pid, "another.machine");
  await keep();
  expect(world.packs()).toHaveLength(1);
});

test("a commit that is never whole leaves no ref, which would stop the user's own git gc", async () => {
  const world = await createWorld();
  const keep = keepWhole(world.repository, { refs, known: world.known, refused }, () => {
    const commit = world.commit();
    world.remove([world.git("rev-parse", `${commit}^{tree}`)]);
    return Promise.resolve(commit);
  });

  await expect(keep).rejects.toThrow(/git (?:rev-list|pack-objects): /);
  expect(world.git("for-each-ref", "refs/atomic")).toBe("");
  world.git("gc", "-q", "--prune=now");
});
