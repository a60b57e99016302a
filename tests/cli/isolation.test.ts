// Workers in separate folders, through the real program: none sees another's half-written files, each task's work
// lands once, and the user's own files stay as they are until the end.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, hotLine, release, resolver, untilFile } from "./isolation-world.ts";

setDefaultTimeout(patienceMs);

test("three workers that edit one file all land, each change once, and the user's folder gets the result", async () => {
  const world = createIsolationWorld();
  const ids = ["1", "2", "3"];
  const script = world.plan(
    ids.map((id) => ({ id, verify: `grep -q 'line ${id}' shared.txt` })),
    [resolver, ...ids.map(hotLine)],
  );

  const run = await world.ralph(script);

  expect(run.stderr).toContain("each worker has a separate folder");
  expect(run.exitCode).toBe(0);
  const lines = world.file("shared.txt").split("\n");
  expect(lines.toSorted()).toEqual(["", "HOT", "bottom", "line 1", "line 2", "line 3", "top"]);
  expect(world.git("show", `${world.head()}:shared.txt`)).toBe(world.file("shared.txt"));
  expect(world.git("show", `${world.head()}:other.txt`)).toBe("other, changed\n");
  expect(world.git("show", `${world.head()}:draft.txt`)).toBe("draft\n");
  const landed = world.git("log", "--format=%(trailers:key=Atomic-Task,valueonly)", `HEAD..${world.head()}`);
  expect(landed.split("\n").filter(Boolean).toSorted()).toEqual(ids);
  expect(world.git("status", "--porcelain")).toBe(" M other.txt\n M shared.txt\n?? draft.txt\n");
  expect(world.leftTrees()).toEqual([]);
  world.git("fsck", "--strict");
});

test("the user's files, index and refs stay as they are while workers work", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }, { id: "2" }],
    [
      { agent: "worker", task: "1", steps: [{ write: { path: "one.txt", content: "1\n" } }, { say: "done" }] },
      {
        agent: "worker",
        task: "2",
        steps: [{ bash: "ls; rm gone.txt; echo 2 > shared.txt" }, untilFile(world, "go"), { say: "done" }],
      },
    ],
  );
  const before = world.userState();

  const live = world.startRalph(script);
  await live.seen("✓ 1");
  expect(world.userState()).toBe(before);
  release(world, "go");
  const run = await live.ended;

  expect(run.exitCode).toBe(0);
  expect(world.file("one.txt")).toBe("1\n");
  expect(world.file("shared.txt")).toBe("2\n");
  expect(existsSync(join(world.project, "gone.txt"))).toBe(false);
  expect(world.file("build/output")).toBe("ignored\n");
});

test("a check does not see what another worker is writing", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1", verify: "test ! -e half-written" }, { id: "2" }],
    [
      { agent: "worker", task: "1", steps: [untilFile(world, "written"), { say: "done" }] },
      {
        agent: "worker",
        task: "2",
        steps: [
          { bash: `touch half-written ${join(world.root, "written")}` },
          untilFile(world, "go"),
          { bash: "rm half-written" },
          { say: "done" },
        ],
      },
    ],
  );

  const live = world.startRalph(script);
  await live.seen("✓ 1");
  release(world, "go");
  const run = await live.ended;

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("check test ! -e half-written: exit 0 (task 1)");
});

test("a check that fails only on the merged tree sends the task back, and it lands once fixed", async () => {
  const world = createIsolationWorld();
  // Each worker's own tree passes; together there is one file too many.
  const verify = "test $(ls part-* | wc -l) -le 1 || test -e joined";
  const script = world.plan(
    [
      { id: "1", verify },
      { id: "2", verify },
    ],
    [
      {
        agent: "worker",
        match: "Meanwhile this landed",
        steps: [{ bash: "ls part-1 part-2 && touch joined", expect: 0 }, { say: "fixed" }],
      },
      { agent: "worker", task: "1", steps: [{ write: { path: "part-1", content: "1\n" } }, { say: "done" }] },
      { agent: "worker", task: "2", steps: [{ write: { path: "part-2", content: "2\n" } }, { say: "done" }] },
    ],
  );

  const run = await world.ralph(script, "--json");

  expect(run.exitCode).toBe(0);
  const checks = run.events().filter(({ type }) => type === "verify.finished");
  expect(checks.map(({ exitCode }) => exitCode)).toEqual([0, 1, 0]);
  // Each is bound to a tree of git that can be looked at again.
  for (const { tree } of checks) expect(world.git("cat-file", "-t", String(tree)).trim()).toBe("tree");
  expect(existsSync(join(world.project, "joined"))).toBe(true);
});

test("a task whose first turn failed while another landed keeps what landed", async () => {
  const world = createIsolationWorld();
  const write = (task: string): readonly object[] => [
    { bash: `echo ${task} > ${task}.txt`, expect: 0 },
    { say: "done" },
  ];
  const script = world.plan(
    [{ id: "1" }, { id: "2" }],
    [
      { agent: "worker", task: "1", steps: write("1") },
      {
        ...{ agent: "worker", task: "2", times: 1 },
        steps: [
          untilFile(world, "go"),
          { bash: "echo half > half.txt", expect: 0 },
          { fail: { kind: "refused", message: "no" } },
        ],
      },
      { agent: "worker", task: "2", steps: write("2") },
    ],
  );

  const live = world.startRalph(script);
  await live.seen("✓ 1");
  release(world, "go");
  const run = await live.ended;

  expect(run.exitCode, run.stderr).toBe(0);
  expect(run.stdout).toContain("Task 2: completed, 2 tries");
  expect(["1.txt", "2.txt", "half.txt"].map(world.file)).toEqual(["1\n", "2\n", "half\n"]);
});

test("a task whose conflict is never resolved fails, and its work is kept and named", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }, { id: "2", title: "Late" }],
    [
      hotLine("1"),
      {
        agent: "worker",
        match: "with conflict markers",
        steps: [{ bash: "grep -q '^<<<<<<< ' shared.txt", expect: 0 }, { say: "I leave it" }],
      },
      { agent: "worker", task: "2", steps: [untilFile(world, "go"), ...stepsOf(hotLine("2"))] },
    ],
  );

  const live = world.startRalph(script, "--max-tries", "2");
  await live.seen("✓ 1");
  release(world, "go");
  const run = await live.ended;

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("conflict markers are left in shared.txt");
  const ref = `refs/atomic/run/${world.onlyRun()}/task/2`;
  expect(run.stdout).toContain(`task 2 did not land; its work is kept: git show ${ref}`);
  expect(world.git("show", `${ref}:shared.txt`)).toContain("line 2");
  // What landed is delivered; nothing of the other is.
  expect(world.file("shared.txt")).toBe("top\nHOT\nline 1\nbottom\n");
  expect(world.leftTrees()).toEqual([]);
});

test("files that the user changed meanwhile are not touched: the work is on a branch, and the report says why", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }, { id: "2" }],
    [
      { agent: "worker", task: "1", steps: [{ write: { path: "new.txt", content: "new\n" } }, { say: "done" }] },
      { agent: "worker", task: "2", steps: [untilFile(world, "go"), ...stepsOf(hotLine("2"))] },
    ],
  );

  const live = world.startRalph(script);
  await live.seen("✓ 1");
  world.put("shared.txt", "mine\n");
  release(world, "go");
  const run = await live.ended;

  expect(run.exitCode).toBe(0);
  expect(world.file("shared.txt")).toBe("mine\n");
  expect(existsSync(join(world.project, "new.txt"))).toBe(false);
  const branch = `atomic/${world.onlyRun()}`;
  expect(run.stdout).toContain(`the work is on the branch ${branch}, not in your folder: you changed these files`);
  expect(world.git("show", `${branch}:shared.txt`)).toBe("top\nHOT\nline 2\nbottom\n");
  expect(world.git("show", `${branch}:new.txt`)).toBe("new\n");
});

test("--land branch and --land none leave the folder alone", async () => {
  for (const land of ["branch", "none"]) {
    const world = createIsolationWorld();
    const script = world.plan([{ id: "1" }], [hotLine("1")]);
    const files = world.git("status", "--porcelain");

    const run = await world.ralph(script, "--land", land);

    expect(run.exitCode).toBe(0);
    expect(world.git("status", "--porcelain")).toBe(files);
    const branches = world.git("branch", "--list", "--format=%(refname:short)", "atomic/*").trim();
    expect(branches).toBe(land === "branch" ? `atomic/${world.onlyRun()}` : "");
    expect(world.git("show", `${world.head()}:shared.txt`)).toContain("line 1");
  }
});

test("workers share the folder with --no-isolate, with one worker, and without a commit, and the run says why", async () => {
  const reasons = {
    "--no-isolate": "--no-isolate was given",
    "--workers=1": "there is only one worker",
    "": "the repository has no commit",
  };
  for (const [word, reason] of Object.entries(reasons)) {
    const world = createIsolationWorld();
    if (word === "") {
      rmSync(join(world.project, ".git"), { recursive: true });
      world.git("init", "--quiet");
    }
    const script = world.plan(
      [{ id: "1" }],
      [{ agent: "worker", steps: [{ bash: "pwd > where.txt" }, { say: "done" }] }],
    );

    const run = await world.ralph(script, ...(word === "" ? [] : [word]));

    expect(run.stderr).toContain(`workers share your folder: ${reason}`);
    expect(run.exitCode).toBe(0);
    expect(world.file("where.txt")).toBe(`${world.project}\n`);
  }
});

test("--isolate is refused where it can't be done, before there is a run", async () => {
  const world = createIsolationWorld();
  rmSync(join(world.project, ".git"), { recursive: true });
  const script = world.plan([{ id: "1" }], [hotLine("1")]);

  const run = await world.ralph(script, "--isolate");

  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain("Workers can't have separate folders here: the folder is in no git repository");
});

test("workers start in the folder that the run was started in, and a folder that is a link is not written through", async () => {
  const world = createIsolationWorld();
  world.put("sub/inner.txt", "inner\n");
  const script = world.plan(
    [{ id: "1" }],
    [{ agent: "worker", steps: [{ bash: "test -e inner.txt && echo 1 > made.txt", expect: 0 }, { say: "done" }] }],
  );

  expect((await world.ralph(script, "--cwd", "sub")).exitCode).toBe(0);
  expect(world.file("sub/made.txt")).toBe("1\n");

  const outside = join(world.root, "outside");
  mkdirSync(outside);
  const again = createIsolationWorld();
  const late = again.plan(
    [{ id: "1" }],
    [
      {
        agent: "worker",
        steps: [{ bash: "mkdir sub && echo 1 > sub/made.txt", expect: 0 }, untilFile(again, "go"), { say: "x" }],
      },
    ],
  );
  const live = again.startRalph(late);
  await live.seen("→ 1");
  symlinkSync(outside, join(again.project, "sub"));
  release(again, "go");
  const run = await live.ended;
  expect(run.stdout).toContain("sub/made.txt");
  expect(existsSync(join(outside, "made.txt"))).toBe(false);
});

test("whatever workers do with git in their folders, the files they leave count, and no other repository changes", async () => {
  const world = createIsolationWorld();
  world.git("init", "-q", "--bare", join(world.root, "origin.git"));
  world.git("remote", "add", "origin", "../origin.git");
  world.git("push", "-q", "origin", "main");
  const origin = world.git("ls-remote", "origin");
  const author = "-c user.name=w -c user.email=w@w";
  const stashing = (id: string): string =>
    `echo ${id} > other.txt && git ${author} stash -q && touch ${join(world.root, `stashed-${id}`)} && until test -e ${join(world.root, `stashed-${3 - Number(id)}`)}; do sleep 0.02; done && git stash pop -q && cp other.txt stash-${id}.txt && git checkout -q other.txt`;
  const commands = {
    "1": stashing("1"),
    "2": stashing("2"),
    "3": `echo 3 > 3.txt && git add . && git ${author} commit -qm mine && git branch -f main && ! git push -f origin HEAD:main && ! git push --mirror origin`,
    "4": "echo 4 > 4.txt && git checkout -q -b elsewhere && git tag worker && rm -rf .git",
    "5": "echo 5 > shared.txt && git reset -q --hard && echo 5 > 5.txt && touch $(git rev-parse --git-dir)/index.lock",
    "6": `echo 6 > 6.txt && rm -rf .git && ln -s ${join(world.project, ".git")} .git`,
    "7": `echo 7 > 7.txt && git config core.hooksPath /nowhere && git gc -q --prune=now && git worktree prune && ! git merge-base HEAD origin/none`,
  };
  const script = world.plan(
    Object.keys(commands).map((id) => ({ id, verify: "test -e shared.txt" })),
    Object.entries(commands).map(([task, bash]) => ({
      agent: "worker",
      task,
      steps: [{ bash, expect: 0 }, { say: "done" }],
    })),
  );
  const before = world.userState();

  const run = await world.ralph(script, "--land", "none", "--workers", "7");

  expect(run.exitCode).toBe(0);
  expect(world.userState()).toBe(before);
  expect(world.git("stash", "list")).toBe("");
  expect(world.git("ls-remote", "origin")).toBe(origin);
  const landed = (name: string): string => world.git("show", `${world.head()}:${name}`);
  for (const id of ["1", "2"]) expect(landed(`stash-${id}.txt`)).toBe(`${id}\n`);
  for (const id of ["3", "4", "5", "6", "7"]) expect(landed(`${id}.txt`)).toBe(`${id}\n`);
  expect(landed("shared.txt")).toBe("top\nHOT\nbottom\n");
  expect(landed("other.txt")).toBe("other, changed\n");
  expect(world.leftTrees()).toEqual([]);
});

test("a worker that removes its own folder has not done its task", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }],
    [
      {
        agent: "worker",
        match: "its folder was removed during the turn",
        steps: [{ write: { path: "one.txt", content: "1\n" } }, { say: "done" }],
      },
      {
        agent: "worker",
        steps: [{ bash: "cd /; git -C $OLDPWD worktree remove -f -f $OLDPWD || rm -rf $OLDPWD" }, { say: "done" }],
      },
    ],
  );

  const run = await world.ralph(script);

  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain("2 tries");
  expect(world.file("one.txt")).toBe("1\n");
});

test("two runs in one repository do not meet before they deliver", async () => {
  const world = createIsolationWorld();
  const one = world.plan([{ id: "1" }], [hotLine("1")]);
  const other = world.script("other", [
    { agent: "planner", steps: [{ say: '{"tasks":[{"id":"1","title":"Another"}]}' }] },
    { agent: "worker", steps: [{ write: { path: "another.txt", content: "a\n" } }, { say: "done" }] },
  ]);

  const runs = await Promise.all([world.ralph(one, "--concurrent"), world.ralph(other, "--concurrent")]);

  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(world.file("shared.txt")).toBe("top\nHOT\nline 1\nbottom\n");
  expect(world.file("another.txt")).toBe("a\n");
  expect(world.leftTrees()).toEqual([]);
});

function stepsOf(turn: object): readonly object[] {
  return (turn as { readonly steps: readonly object[] }).steps;
}
