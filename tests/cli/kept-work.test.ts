// Uncommitted work that a plain look at changed files misses: what is staged and differs from the disk, files that git
// is configured to ignore, repositories inside the repository. All of it is kept before a run, nothing is changed by
// that, and `sessions rm` removes it again.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll, type CliWorld } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

interface KeptWorld extends CliWorld {
  git(...args: readonly string[]): string;
  gitIn(folder: string, ...args: readonly string[]): string;
  put(path: string, content: string): void;
  /** Runs ralph, and gives the refs it left. */
  keep(
    ...more: readonly string[]
  ): Promise<{ readonly id: string; readonly refs: readonly string[]; readonly stdout: string }>;
}

function makeWorld(): KeptWorld {
  const world = createCliWorld();
  const script = world.script("done", [{ steps: [{ say: "Done.\nCOMPLETE" }] }]);
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  const gitIn = (folder: string, ...args: readonly string[]): string => {
    const env = { ...world.env, ...identity };
    const run = Bun.spawnSync(["git", "-c", "protocol.file.allow=always", ...args], {
      cwd: join(world.project, folder),
      env,
    });
    if (run.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${run.stderr.toString()}`);
    return run.stdout.toString();
  };
  const git = (...args: readonly string[]): string => gitIn(".", ...args);
  const put = (path: string, content: string): void => void world.write(`project/${path}`, content);
  git("init", "-q", ".");
  for (const name of ["a", "b", "c", "d"]) put(name, `${name} committed\n`);
  git("add", ".");
  git("commit", "-qm", "first");
  return {
    ...world,
    git,
    gitIn,
    put,
    async keep(...more) {
      const run = await world.run(["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--json", ...more]);
      expect(run.exitCode).toBe(0);
      const id = String(run.events()[0]?.runId);
      const refs = git("for-each-ref", "--format=%(refname)", "refs/atomic")
        .split("\n")
        .filter((ref) => ref.endsWith(id));
      return { id, refs, stdout: run.stdout };
    },
  };
}

test("what is staged and differs from the disk is kept beside the files", async () => {
  const world = makeWorld();
  world.put("a", "a staged\n");
  world.git("add", "a");
  world.put("a", "a on disk\n");
  world.put("new", "new staged\n");
  world.git("add", "new");
  rmSync(join(world.project, "new"));
  world.git("rm", "-q", "--cached", "b");
  world.put("b", "b on disk\n");
  const before = [world.git("status", "--porcelain"), world.git("ls-files", "--stage")];

  const { id, refs } = await world.keep();

  expect([world.git("status", "--porcelain"), world.git("ls-files", "--stage")]).toEqual(before);
  expect(refs).toEqual([`refs/atomic/kept/${id}`, `refs/atomic/staged/${id}`]);
  expect(world.git("show", `refs/atomic/kept/${id}:a`)).toBe("a on disk\n");
  expect(world.git("show", `refs/atomic/kept/${id}:b`)).toBe("b on disk\n");
  expect(world.git("show", `refs/atomic/staged/${id}:a`)).toBe("a staged\n");
  expect(world.git("show", `refs/atomic/staged/${id}:new`)).toBe("new staged\n");
  expect(world.git("ls-tree", "--name-only", `refs/atomic/staged/${id}`).split("\n")).not.toContain("b");
});

test("both sides of a conflict are kept as they were staged", async () => {
  const world = makeWorld();
  world.git("checkout", "-qb", "other");
  world.put("a", "theirs\n");
  world.git("commit", "-qam", "theirs");
  world.git("checkout", "-q", "-");
  world.put("a", "ours\n");
  world.git("commit", "-qam", "ours");
  expect(() => world.git("merge", "other")).toThrow();
  world.put("a", "half solved\n");

  const { id } = await world.keep();

  expect(world.git("show", `refs/atomic/kept/${id}:a`)).toBe("half solved\n");
  expect(world.git("show", `refs/atomic/staged/${id}:.atomic-unmerged/2/a`)).toBe("ours\n");
  expect(world.git("show", `refs/atomic/staged/${id}:.atomic-unmerged/3/a`)).toBe("theirs\n");
});

test("edits are kept in files that git is configured to ignore", async () => {
  const world = makeWorld();
  world.git("update-index", "--assume-unchanged", "a", "b");
  world.git("update-index", "--skip-worktree", "c", "d");
  world.put("a", "a edited in secret\n");
  world.put("c", "c edited in secret\n");
  rmSync(join(world.project, "d"));
  expect(world.git("status", "--porcelain")).toBe("");

  const { id, refs, stdout } = await world.keep();

  expect(refs).toEqual([`refs/atomic/kept/${id}`]);
  expect(stdout).toContain('"files":2');
  expect(world.git("show", `refs/atomic/kept/${id}:a`)).toBe("a edited in secret\n");
  expect(world.git("show", `refs/atomic/kept/${id}:c`)).toBe("c edited in secret\n");
  // One that need not be in the work tree is not gone because it is not there.
  expect(world.git("show", `refs/atomic/kept/${id}:d`)).toBe("d committed\n");
  expect(world.git("ls-files", "-v")).toBe("h a\nh b\nS c\nS d\n");
});

test("a check sees that such a file was edited", async () => {
  const world = makeWorld();
  world.git("update-index", "--assume-unchanged", "a");
  const script = world.script("edits", [
    { times: 1, steps: [{ bash: "echo one > a" }, { say: "one\nCOMPLETE" }] },
    { times: 1, steps: [{ bash: "echo two > a" }, { say: "two\nCOMPLETE" }] },
    { steps: [{ bash: "echo three > a" }, { say: "three\nCOMPLETE" }] },
  ]);
  const words = [
    "ralph",
    "--yolo",
    "x",
    "-a",
    "scripted",
    "--script",
    script,
    "--verify",
    "grep three a",
    "--max-stuck",
    "1",
  ];
  expect((await world.run(words)).exitCode).toBe(0);
});

test("work in repositories inside the repository is kept in the outer one, and outlives them", async () => {
  const world = makeWorld();
  const inner = (folder: string): void => {
    mkdirSync(join(world.project, folder), { recursive: true });
    world.gitIn(folder, "init", "-q", ".");
    world.put(`${folder}/f`, "committed\n");
    world.gitIn(folder, "add", ".");
    world.gitIn(folder, "commit", "-qm", "first");
  };
  inner("clone");
  inner("clone/deeper");
  inner("clean");
  inner("../source");
  world.git("submodule", "--quiet", "add", join(world.root, "source"), "sub");
  world.git("commit", "-qm", "submodule");
  world.put("clone/f", "clone staged\n");
  world.gitIn("clone", "add", "f");
  world.put("clone/f", "clone on disk\n");
  world.put("clone/new file", "untracked\n");
  chmodSync(join(world.project, "clone/new file"), 0o755);
  world.put("clone/deeper/f", "deeper on disk\n");
  world.put("sub/f", "sub on disk\n");
  const before = world.gitIn("clone", "status", "--porcelain");

  const { id, refs } = await world.keep();

  expect(refs).toEqual([`refs/atomic/nested/${id}`]);
  const ref = `refs/atomic/nested/${id}`;
  expect(world.gitIn("clone", "status", "--porcelain")).toBe(before);
  rmSync(join(world.project, "clone"), { recursive: true });
  const names = world.git("ls-tree", "-r", "--name-only", "-z", ref).split("\0").filter(Boolean);
  expect(names).toEqual([".atomic-staged/clone/f", "clone/deeper/f", "clone/f", "clone/new file", "sub/f"]);
  expect(world.git("show", `${ref}:clone/f`)).toBe("clone on disk\n");
  expect(world.git("show", `${ref}:.atomic-staged/clone/f`)).toBe("clone staged\n");
  expect(world.git("show", `${ref}:clone/deeper/f`)).toBe("deeper on disk\n");
  expect(world.git("ls-tree", ref, "clone/new file")).toStartWith("100755");
  expect(world.git("show", `${ref}:sub/f`)).toBe("sub on disk\n");
});

test("a repository inside that leads elsewhere is left alone, and the report says so", async () => {
  const world = makeWorld();
  mkdirSync(join(world.root, "other"));
  world.gitIn("../other", "init", "-q", ".");
  world.put("../other/secret", "private\n");
  world.put("fake/.git", `gitdir: ${join(world.root, "other/.git")}\n`);

  const { stdout, refs } = await world.keep();

  expect(refs).toEqual([]);
  expect(stdout).toContain("Not kept before the run");
  expect(world.gitIn("../other", "for-each-ref")).toBe("");
});

test("nothing to keep leaves no ref, also with submodules and unwatched files", async () => {
  const world = makeWorld();
  world.git("update-index", "--assume-unchanged", "a");
  expect((await world.keep()).refs).toEqual([]);
});

test("sessions rm removes the refs of that run, and no others", async () => {
  const world = makeWorld();
  world.put("a", "a staged\n");
  world.git("add", "a");
  world.put("a", "a on disk\n");
  const first = await world.keep();
  const second = await world.keep();
  expect(first.refs).toHaveLength(2);
  world.git("pack-refs", "--all");

  const removed = await world.run(["sessions", "rm", first.id]);

  expect([removed.exitCode, removed.stderr]).toEqual([0, ""]);
  expect(world.git("for-each-ref", "--format=%(refname)", "refs/atomic").trim().split("\n")).toEqual([...second.refs]);
  expect(world.git("rev-parse", "HEAD")).not.toBe("");

  // From anywhere, and when the repository is gone.
  rmSync(join(world.project, ".git"), { recursive: true });
  expect((await world.run(["sessions", "rm", second.id], { cwd: world.root })).exitCode).toBe(0);
  expect(existsSync(join(world.sessions, second.id))).toBe(false);
});

test("sessions rm of a run that a stranger left touches no repository", async () => {
  const world = makeWorld();
  const env = { ATOMIC_SESSIONS_DIR: ".ralph/sessions" };
  world.put("a", "a on disk\n");
  const script = world.script("more", [{ steps: [{ say: "Done.\nCOMPLETE" }] }]);
  const words = ["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--json"];
  const run = await world.run(words, { env: { ...env, HOME: join(world.root, "stranger") } });
  const id = String(run.events()[0]?.runId);

  expect((await world.run(["sessions", "rm", id], { env })).exitCode).toBe(0);

  expect(world.git("for-each-ref", "--format=%(refname)", "refs/atomic").trim()).toBe(`refs/atomic/kept/${id}`);
});

test("a partial clone whose other files were never fetched: what is uncommitted is kept, and nothing is fetched", async () => {
  const world = makeWorld();
  world.put("left/out", "never fetched\n");
  world.git("add", ".");
  world.git("commit", "-qm", "second");
  world.git("config", "uploadpack.allowFilter", "true");
  const origin = join(world.root, "origin");
  renameSync(world.project, origin);
  const clone = ["clone", "-q", "--filter=blob:none", "--sparse", `file://${origin}`, world.project];
  world.gitIn("..", ...clone);
  renameSync(origin, join(world.root, "not reachable"));
  world.put("a", "a changed\n");
  world.put("new", "new\n");

  const { refs } = await world.keep();

  expect(refs).toHaveLength(1);
  expect(world.git("show", `${refs[0]}:a`)).toBe("a changed\n");
  expect(world.git("diff", "--name-only", "HEAD", refs[0] as string)).toBe("a\nnew\n");
});

test("the temporary folder of a run that was killed while it kept the work is removed by the next run", async () => {
  const world = makeWorld();
  world.put("a", "a changed\n");
  const path = String(world.env["PATH"]);
  const real = Bun.which("git", { PATH: path });
  // It never returns from a call that uses the folder, and ends with the run.
  const stuck = `#!/bin/sh
case "$GIT_INDEX_FILE" in *atomic-keep-*) : > ${join(world.root, "stuck")}; while kill -0 $PPID 2>/dev/null; do sleep 0.05; done; exit 1 ;; esac
exec ${real} "$@"
`;
  chmodSync(world.write("bin/git", stuck), 0o755);
  const script = world.script("never", []);
  const temporary = (): readonly string[] => readdirSync(world.root).filter((name) => name.startsWith("atomic-keep-"));
  const live = world.start(["ralph", "--yolo", "x", "--script", script], {
    env: { PATH: `${join(world.root, "bin")}:${path}` },
  });
  await poll(() => (existsSync(join(world.root, "stuck")) ? true : undefined));
  live.signal("SIGKILL");
  await live.ended;
  expect(temporary()).toHaveLength(1);

  await world.keep();

  expect(temporary()).toEqual([]);
});
