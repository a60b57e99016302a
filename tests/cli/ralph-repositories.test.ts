// Repositories in every state that people leave them in, and those that try to run their own code. The user's
// work must come out as it went in, byte for byte, and nothing of the repository may run because we looked at it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

interface RepositoryWorld extends CliWorld {
  git(...args: readonly string[]): string;
  /** Ralph with one task, whose worker writes done.txt. */
  ralph(...words: readonly string[]): ReturnType<CliWorld["run"]>;
}

function makeWorld(): RepositoryWorld {
  const world = createCliWorld();
  const script = world.script("s", [
    { agent: "planner", steps: [{ say: '{"tasks":[{"id":"1","title":"One","verify":"test -e done.txt"}]}' }] },
    { agent: "worker", steps: [{ write: { path: "done.txt", content: "done\n" } }, { say: "done" }] },
  ]);
  const git = (...args: readonly string[]): string => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const done = Bun.spawnSync(["git", ...author, ...args], { cwd: world.project, env: world.env });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
    return done.stdout.toString();
  };
  git("init", "--quiet", "-b", "main");
  return {
    ...world,
    git,
    ralph: (...words) => world.run(["ralph", "Do it", "--script", script, "--max-reviews", "0", "--quiet", ...words]),
  };
}

/** A checksum of every file of the project, except git's own and what the worker makes. Names need not be text. */
function filesOf(world: CliWorld): readonly string[] {
  const which = ["-type", "f", "-not", "-path", "*/.git/*", "-not", "-name", "done.txt"];
  const found = Bun.spawnSync(["find", world.project, ...which, "-exec", "sha256sum", "{}", "+"], { env: world.env });
  return found.stdout.toString("latin1").split("\n").toSorted();
}

function keptRef(world: RepositoryWorld): string {
  return `refs/atomic/kept/${world.onlyRun()}`;
}

test("a repository without commits is worked in, and its files are kept", async () => {
  const world = makeWorld();
  writeFileSync(join(world.project, "draft.txt"), "draft\r\n");
  const run = await world.ralph();

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain(`is kept: git show ${keptRef(world)}`);
  expect(world.git("show", `${keptRef(world)}:draft.txt`)).toBe("draft\r\n");
  expect(world.git("for-each-ref", "--format=%(refname)").trim()).toBe(keptRef(world));
});

test("staged, changed, deleted, untracked and oddly named files are kept byte for byte, and left as they are", async () => {
  const world = makeWorld();
  const at = (name: string): string => join(world.project, name);
  mkdirSync(at("folder"));
  for (const name of ["staged", "changed", "deleted", "folder/inner", "mode", ".gitignore"])
    writeFileSync(at(name), name === ".gitignore" ? "ignored.txt\n" : "old\n");
  world.git("add", ".");
  world.git("commit", "-qm", "first");
  writeFileSync(at("staged"), "staged\n");
  world.git("add", "staged");
  writeFileSync(at("staged"), "staged, then changed\r\n");
  writeFileSync(at("changed"), new Uint8Array([0, 255, 13, 10, 0]));
  Bun.spawnSync(["rm", at("deleted")]);
  chmodSync(at("mode"), 0o755);
  writeFileSync(at("with space and\nline break"), "odd\n");
  writeFileSync(Buffer.concat([Buffer.from(`${world.project}/`), Buffer.from([0x66, 0xff, 0xfe])]), "no text\n");
  writeFileSync(at("ignored.txt"), "ignored\n");
  symlinkSync("/etc/hostname", at("link"));
  const before = {
    files: filesOf(world),
    status: world.git("status", "--porcelain", "-z"),
    head: world.git("rev-parse", "HEAD"),
  };
  const run = await world.ralph("--cwd", "folder");

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(filesOf(world)).toEqual(before.files);
  expect(world.git("rev-parse", "HEAD")).toBe(before.head);
  expect(world.git("status", "--porcelain", "-z").replace("?? folder/done.txt\0", "")).toBe(before.status);
  const tree = world.git("ls-tree", "-r", "-z", keptRef(world));
  const show = (name: string): string =>
    Bun.spawnSync(["git", "cat-file", "blob", `${keptRef(world)}:${name}`], {
      cwd: world.project,
      env: world.env,
    }).stdout.toString("latin1");
  expect(show("staged")).toBe("staged, then changed\r\n");
  expect(show("changed")).toBe("\u0000ÿ\r\n\u0000");
  expect(show("with space and\nline break")).toBe("odd\n");
  expect(show("folder/inner")).toBe("old\n");
  expect(tree).toMatch(/100755 blob \w+\tmode\0/);
  expect(tree).toMatch(/120000 blob \w+\tlink\0/);
  expect(tree).not.toMatch(/\tdeleted\0|\tignored/);
  const raw = Bun.spawnSync(["git", "ls-tree", "-r", "-z", "--name-only", keptRef(world)], {
    cwd: world.project,
    env: world.env,
  });
  expect(raw.stdout.includes(Buffer.from([0x66, 0xff, 0xfe]))).toBe(true);
});

test("a repository in the middle of a merge is kept with its conflicts, and stays in the middle of it", async () => {
  const world = makeWorld();
  const file = join(world.project, "file.txt");
  writeFileSync(file, "base\n");
  world.git("add", ".");
  world.git("commit", "-qm", "base");
  world.git("checkout", "-qb", "other");
  writeFileSync(file, "theirs\n");
  world.git("commit", "-qam", "theirs");
  world.git("checkout", "-q", "main");
  writeFileSync(file, "ours\n");
  world.git("commit", "-qam", "ours");
  expect(() => world.git("merge", "other")).toThrow();
  const conflict = readFileSync(file, "utf8");
  const stages = world.git("ls-files", "--unmerged");
  const run = await world.ralph();

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(conflict).toContain("<<<<<<<");
  expect(world.git("show", `${keptRef(world)}:file.txt`)).toBe(conflict);
  expect(readFileSync(file, "utf8")).toBe(conflict);
  expect(world.git("ls-files", "--unmerged")).toBe(stages);
  expect(existsSync(join(world.project, ".git/MERGE_HEAD"))).toBe(true);
});

test("files whose names a list of paths would take for others are kept with their own content", async () => {
  const world = makeWorld();
  for (const name of ["a", '"a"', "a\r", '"open', "alone\r"]) writeFileSync(join(world.project, name), `in ${name}`);
  const run = await world.ralph();

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  for (const name of ["a", '"a"', "a\r", '"open', "alone\r"])
    expect(world.git("cat-file", "blob", `${keptRef(world)}:${name}`)).toBe(`in ${name}`);
});

test("a repository with longer names of objects is kept without the files that were deleted", async () => {
  const world = makeWorld();
  rmSync(join(world.project, ".git"), { recursive: true });
  world.git("init", "--quiet", "--object-format=sha256");
  for (const name of ["deleted", "stays"]) writeFileSync(join(world.project, name), "old\n");
  world.git("add", ".");
  world.git("commit", "-qm", "first");
  rmSync(join(world.project, "deleted"));
  const run = await world.ralph();

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(world.git("ls-tree", "--name-only", keptRef(world))).toBe("stays\n");
});

test("a file that was staged and deleted before the first commit stops nothing", async () => {
  const world = makeWorld();
  writeFileSync(join(world.project, "gone"), "staged\n");
  writeFileSync(join(world.project, "draft"), "draft\n");
  world.git("add", "gone");
  rmSync(join(world.project, "gone"));
  const run = await world.ralph();

  expect(run.stderr).toBe("");
  expect(world.git("ls-tree", "--name-only", keptRef(world))).toBe("draft\n");
});

test("a repository that git refuses to read does not count as missing: nothing starts, and git's reason is shown", async () => {
  const world = makeWorld();
  writeFileSync(join(world.project, "draft.txt"), "draft\n");
  writeFileSync(join(world.project, ".git/config"), "[core\n");
  const run = await world.ralph("--json");

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain(
    "Your uncommitted changes could not be kept before the run (git rev-parse: fatal: bad config",
  );
  expect(run.stderr).toContain("Fix that, and start again");
  expect(run.stdout).not.toContain("agent.turn-started");
});

test("a temporary folder that is not there is named, before a worker starts", async () => {
  const world = makeWorld();
  writeFileSync(join(world.project, "draft.txt"), "draft\n");
  const script = join(world.root, "s.json");
  const env = { TMPDIR: join(world.root, "nowhere") };
  const run = await world.run(["ralph", "Do it", "--script", script, "--json"], { env });

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toMatch(/could not be kept before the run \(temporary folder: ENOENT.*nowhere/);
  expect(run.stdout).not.toContain("agent.turn-started");
});

test("hooks, fsmonitor, filters and attributes of the repository never run", async () => {
  const world = makeWorld();
  const trap = join(world.root, "trapped");
  const program = world.write("trap.sh", `#!/bin/sh\necho "$0 $@" >> '${trap}'\ncat\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(world.project, "filtered.txt"), "one\n");
  writeFileSync(join(world.project, ".gitattributes"), "* filter=odd.name diff=odd\n");
  world.git("add", ".");
  world.git("commit", "-qm", "first");
  writeFileSync(join(world.project, "filtered.txt"), "two\n");
  for (const hook of ["pre-commit", "post-index-change", "reference-transaction", "post-checkout"]) {
    writeFileSync(join(world.project, ".git/hooks", hook), readFileSync(program));
    chmodSync(join(world.project, ".git/hooks", hook), 0o755);
  }
  for (const [key, value] of [
    ["core.fsmonitor", program],
    ["filter.odd.name.clean", program],
    ["filter.odd.name.smudge", program],
    ["filter.odd.name.process", program],
    ["filter.odd.name.required", "true"],
    ["diff.odd.textconv", program],
    ["diff.odd.command", program],
    ["core.pager", program],
    ["core.sshCommand", program],
  ] as const)
    world.git("config", key, value);
  const run = await world.ralph("--max-tries", "1");

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(existsSync(trap) ? readFileSync(trap, "utf8") : "").toBe("");
  const kept = Bun.spawnSync(["git", "cat-file", "blob", `${keptRef(world)}:filtered.txt`], {
    cwd: world.project,
    env: world.env,
  });
  expect(kept.stdout.toString()).toBe("two\n");
  // The trap is real: calling git without precautions springs it.
  Bun.spawnSync(["git", "status"], { cwd: world.project, env: world.env });
  expect(existsSync(trap)).toBe(true);
});

const canMount =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "-m", "true"], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } }).exitCode === 0;

test.if(canMount)(
  "a repository that can't be written to is refused before a worker starts, with what to do",
  async () => {
    const world = makeWorld();
    writeFileSync(join(world.project, "draft.txt"), "draft\n");
    const script = join(world.root, "s.json");
    // Only for this program and what it starts, and gone with it.
    const inner = `mount --bind '${world.project}' '${world.project}' && mount -o remount,bind,ro '${world.project}' && exec '${world.program}' ralph 'Do it' --script '${script}' --json`;
    const run = Bun.spawnSync(["unshare", "-m", "sh", "-c", inner], {
      cwd: world.project,
      env: { ...world.env, PATH: `${world.env["PATH"] ?? ""}:/usr/sbin:/sbin` },
    });
    const stderr = run.stderr.toString();

    expect(run.exitCode).toBe(1);
    expect(stderr).toContain("Your uncommitted changes could not be kept before the run");
    expect(stderr).toContain("make the repository writable");
    expect(run.stdout.toString()).not.toContain("agent.turn-started");
    expect(readFileSync(join(world.project, "draft.txt"), "utf8")).toBe("draft\n");
  },
);

test.if(canMount)("a disk that is full stops the run, says so, and lets it resume once there is room", async () => {
  const world = makeWorld();
  const script = world.script("full", [
    {
      agent: "planner",
      steps: [
        { say: JSON.stringify({ tasks: Array.from({ length: 40 }, (_, i) => ({ id: `${i}`, title: `Task ${i}` })) }) },
      ],
    },
    { agent: "worker", steps: [{ bash: "echo $ATOMIC_X >> ../ran.txt" }, { say: "x".repeat(1900) }] },
  ]);
  const home = join(world.root, "small");
  mkdirSync(home);
  const words = `ralph 'Do it' --script '${script}' --max-reviews 0`;
  const go = `ATOMIC_HOME='${home}' exec '${world.program}'`;
  const inner = `mount -t tmpfs -o size=260k tmpfs '${home}' && ( ${go} ${words}; echo "first $?"; ) ; mount -o remount,size=40m '${home}' && ( ${go} resume; echo "second $?" )`;
  const run = Bun.spawnSync(["unshare", "-m", "sh", "-c", inner.replaceAll("exec ", "")], {
    cwd: world.project,
    env: { ...world.env, PATH: `${world.env["PATH"] ?? ""}:/usr/sbin:/sbin` },
  });
  const [stdout, stderr] = [run.stdout.toString(), run.stderr.toString()];

  expect(stdout).toContain("first 1");
  expect(stderr).toMatch(/JOURNAL_WRITE_FAILED.*full/is);
  expect(stderr).toMatch(/Resume with: atomic resume/);
  expect(stdout).toContain("second 0");
  expect(stderr).toContain("40 of 40 tasks");
  // Those that could not be recorded ran again, and no others.
  const ran = readFileSync(join(world.root, "ran.txt"), "utf8").split("\n").length - 1;
  expect(ran).toBeGreaterThanOrEqual(40);
  expect(ran).toBeLessThanOrEqual(44);
});

test.if(canMount)("a disk that is full before a run could be recorded leaves nothing that looks like one", async () => {
  const world = makeWorld();
  const home = join(world.root, "small");
  mkdirSync(home);
  const go = `ATOMIC_HOME='${home}' '${world.program}'`;
  const inner = `mount -t tmpfs -o size=16k tmpfs '${home}'; ${go} ralph 'Do it' --script '${world.root}/s.json'; echo "ended $?"; ${go} sessions --json`;
  const run = Bun.spawnSync(["unshare", "-m", "sh", "-c", inner], {
    cwd: world.project,
    env: { ...world.env, PATH: `${world.env["PATH"] ?? ""}:/usr/sbin:/sbin` },
  });

  expect(run.stderr.toString()).toContain("JOURNAL_WRITE_FAILED");
  expect(run.stdout.toString()).toBe("ended 1\n[]\n");
});
