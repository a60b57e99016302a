import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { currentProcess } from "../../lib/process-identity.ts";
import { Git, type GitAtTop } from "./git.ts";
import { keepWhole, sweepUnkept } from "./keep-whole.ts";

setDefaultTimeout(60_000);

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-whole-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const refs = ["refs/atomic/run/1/task/1"];
const refused = (problem: string): AtomicError => new AtomicError("WORKTREE_FAILED", problem);

const author = {
  ...{ GIT_AUTHOR_NAME: "Test", GIT_AUTHOR_EMAIL: "test@localhost" },
  ...{ GIT_COMMITTER_NAME: "Test", GIT_COMMITTER_EMAIL: "test@localhost" },
};

async function createWorld() {
  // A colon and a quote would end or begin a path in a list of folders.
  const top = mkdtempSync(join(root, 'a:"repository-'));
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
    packs: () => readdirSync(join(repository.commonDir, "objects/pack")).filter((name) => name.endsWith(".pack")),
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

  const kept = await keepWhole(world.repository, { refs, known: world.known, refused }, async () => {
    const commit = world.commit();
    found = world.garbage();
    return commit;
  });
  world.remove(found);

  expect(found).toHaveLength(3);
  expect(world.git("show", `${refs[0]}:new.txt`)).toBe("new");
  expect(world.git("rev-parse", refs[0] as string)).toBe(kept);
  world.git("gc", "-q", "--prune=now");
  world.git("fsck", "--strict", "--no-dangling");
});

test("objects that are gone when the ref is there are made again", async () => {
  const world = await createWorld();
  const made: boolean[] = [];

  const kept = await keepWhole(world.repository, { refs, known: world.known, refused }, async (_, isAgain) => {
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

  await expect(keep).rejects.toThrow(/^git pack-objects: .*bad revision/);
  expect(tries).toBe(6);
});

test("a commit that needs nothing new is kept", async () => {
  const { repository, known, git } = await createWorld();

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

test("nothing is left in the repository but the pack, and what a killed process left is removed", async () => {
  const world = await createWorld();
  const { commonDir } = world.repository;
  const { pid } = Bun.spawnSync(["true"]);
  const dead = JSON.stringify({ ...currentProcess(), pid, started: "1" });
  const packs = join(commonDir, "objects/pack");
  writeFileSync(join(packs, "pack-1.keep"), `Atomic ${dead}\n`);
  writeFileSync(join(packs, "pack-2.keep"), `Atomic ${JSON.stringify(currentProcess())}\n`);
  writeFileSync(join(packs, "pack-3.keep"), "the user's\n");
  const left = join(commonDir, "atomic/atomic-objects-aaaaaa");
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, ".owner.json"), dead);

  await keepWhole(world.repository, { refs, known: world.known, refused }, () => Promise.resolve(world.commit()));
  sweepUnkept(commonDir, Date.now());

  const keeps = readdirSync(packs).filter((name) => name.endsWith(".keep"));
  expect(keeps.toSorted()).toEqual(["pack-2.keep", "pack-3.keep"]);
  expect(world.packs()).toHaveLength(1);
  expect(readdirSync(join(commonDir, "atomic"))).toEqual([]);
  world.git("gc", "-q", "--prune=now");
  world.git("fsck", "--strict", "--no-dangling");
});

test("what no ref names yet is not in the repository: a collector finds nothing to remove", async () => {
  const world = await createWorld();

  const kept = await keepWhole(world.repository, { refs, known: world.known, refused }, async (git) => {
    const stored = await git.run(["hash-object", "-w", "--stdin"], { input: "apart\n" });
    world.git("repack", "-adq");
    world.git("prune", "--expire=now");
    const input = `100644 blob ${stored.stdout.toString().trim()}\tapart.txt\n`;
    const tree = (await git.run(["mktree"], { input })).stdout.toString().trim();
    world.git("prune", "--expire=now");
    const made = await git.run(["commit-tree", "-p", world.known, "-m", "Apart", tree], { env: author });
    world.git("prune", "--expire=now");
    return made.stdout.toString().trim();
  });

  expect(world.git("show", `${kept}:apart.txt`)).toBe("apart");
  world.git("fsck", "--strict", "--no-dangling");
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

const otherDisk = "/dev/shm";
const hasOtherDisk = existsSync(otherDisk) && statSync(otherDisk).dev !== statSync(root).dev;

test.if(hasOtherDisk)("the folder of objects may be a link to another disk", async () => {
  const world = await createWorld();
  const objects = join(world.repository.commonDir, "objects");
  const there = mkdtempSync(join(otherDisk, "atomic-whole-"));
  try {
    cpSync(objects, there, { recursive: true });
    rmSync(objects, { recursive: true });
    symlinkSync(there, objects);

    await keepWhole(world.repository, { refs, known: world.known, refused }, () => Promise.resolve(world.commit()));

    expect(world.packs()).toHaveLength(1);
    world.git("fsck", "--strict", "--no-dangling");
  } finally {
    rmSync(there, { recursive: true });
  }
});

test("many commits leave few packs, and every object", async () => {
  const world = await createWorld();
  const { repository } = world;
  let known = world.known;
  for (let i = 0; i < 17; i++) {
    known = await keepWhole(repository, { refs: [`refs/atomic/run/1/task/${i}`], known, refused }, async (git) => {
      const stored = await git.run(["hash-object", "-w", "--stdin"], { input: `${i}\n` });
      const input = `100644 blob ${stored.stdout.toString().trim()}\t${i}.txt\n`;
      const tree = (await git.run(["mktree"], { input })).stdout.toString().trim();
      const made = await git.run(["commit-tree", "-p", known, "-m", `${i}`, tree], { env: author });
      return made.stdout.toString().trim();
    });
  }

  expect(world.packs()).toHaveLength(3);
  expect(world.git("show", `${known}~13:3.txt`)).toBe("3");
  world.git("fsck", "--strict", "--no-dangling");
});
