// Ways out of the sandbox, tried by a scripted agent through the command line: files, links, git, processes, sockets,
// privileges, and the checks that run what an agent wrote. Each way works without a sandbox, or is seen to be there.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { eventually, processesOf } from "../../src/testing/contracts/agent-harness.ts";
import { createCliWorld, type CliWorld } from "../cli/cli-world.ts";
import { createIsolationWorld } from "../cli/isolation-world.ts";
import { canSandbox } from "../support/require-sandbox.ts";

setDefaultTimeout(120_000);
const sandboxed = test.skipIf(!(await canSandbox()));

/** A script that prints the names of what succeeds. */
const attempts = (tries: Readonly<Record<string, string>>): string =>
  Object.entries(tries)
    .map(([name, command]) => `( ${command}\n) >/dev/null 2>&1 && echo ${name}`)
    .join("\n");

/** One turn of a scripted agent in the project, and what it printed. */
async function turn(world: CliWorld, command: string, words: readonly string[] = []): Promise<readonly string[]> {
  const script = world.script("turn", [
    { match: "", steps: [{ bash: `{ ${command}\n} > did.txt 2>&1; true` }, { say: "Done.\nCOMPLETE" }] },
  ]);
  const run = await world.run(["ralph", "--yolo", "try", "-a", "scripted", "--script", script, ...words]);
  expect(run.exitCode, run.stderr).toBe(0);
  return readFileSync(join(world.project, "did.txt"), "utf8").trim().split("\n");
}

sandboxed(
  "workers in separate trees reach neither each other, nor the user's folder, refs, stash or records",
  async () => {
    const world = createIsolationWorld();
    const outside = join(world.root, "outside");
    mkdirSync(outside);
    const tries = {
      project: `echo x > ${world.project}/by-worker`,
      neighbour: `for tree in ${world.sessions}/*/trees/*; do [ "$tree" = "$PWD" ] || echo x > "$tree/by-neighbour"; done; ls ${world.sessions}/*/trees/*/by-neighbour`,
      branch: `git -C ${world.project} branch by-worker`,
      stash: `git -C ${world.project} stash`,
      objects: `touch ${world.project}/.git/objects/by-worker`,
      record: `for run in ${world.sessions}/*; do echo x > "$run/by-worker"; done; ls ${world.sessions}/*/by-worker`,
      trust: `echo x > ${world.atomicHome}/by-worker`,
      link: `ln -s ${outside} way && echo x > way/by-link; s=$?; rm way; exit $s`,
      "own hooks": "echo x > .git/hooks/pre-commit",
      "other hooks": "mv .git .git2",
      commit:
        "git -c user.name=W -c user.email=w@example.com commit -q --allow-empty -m mine && git branch mine && git stash list",
      file: "echo done > result-$RANDOM$$.txt",
    };
    const script = world.plan(
      [
        { id: "1", verify: `! echo x > ${outside}/by-check` },
        { id: "2", verify: "echo x > by-check && rm by-check" },
      ],
      ["1", "2"].map((task) => ({
        agent: "worker",
        task,
        steps: [{ bash: `{ ${attempts(tries)}\n} > did-${task}.txt 2>&1; true`, expect: 0 }, { say: "done" }],
      })),
    );
    const before = world.userState();

    const run = await world.ralph(script, "--sandbox", "worktree", "--land", "none");

    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain("each worker has a separate folder");
    expect(run.stderr).toContain(", sandbox worktree\n");
    for (const task of ["1", "2"])
      expect(world.git("show", `${world.head()}:did-${task}.txt`).trim().split("\n")).toEqual(["commit", "file"]);
    expect(world.userState()).toBe(before);
    expect(readdirSync(outside)).toEqual([]);
    expect(world.leftTrees()).toEqual([]);
    world.git("fsck", "--strict");
    // What a check may do is the same when it is run again.
    const verified = await world.run(["sessions", "verify", world.onlyRun()]);
    expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
    expect(readdirSync(outside)).toEqual([]);
  },
);

sandboxed("a program sees no other process, gains no rights, has no terminal and no open files of ours", async () => {
  const world = createCliWorld();
  const victim = Bun.spawn(["sleep", "600"], { env: { PATH: "/usr/bin:/bin", SECRET_OF_OTHERS: "seen" } });
  afterAll(() => victim.kill("SIGKILL"));
  const tries = {
    kill: `kill -0 ${victim.pid}`,
    environ: "grep -l SECRET_OF_OTHERS=seen /proc/[0-9]*/environ | grep -v self",
    terminal: "echo x > /dev/tty",
    capabilities: `! grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status`,
    privileges: "grep -q '^NoNewPrivs:[[:space:]]*0' /proc/self/status",
    remount: "mount -o remount,bind,rw / || unshare -Urm mount -o remount,bind,rw / ",
    unmount: `umount ${world.project}/.git/hooks || unshare -Urm umount ${world.project}/.git/hooks`,
    sysctl: 'pattern=$(cat /proc/sys/kernel/core_pattern); echo "$pattern" > /proc/sys/kernel/core_pattern',
    devices: "ls /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kmem",
    files: "ls /proc/self/fd | grep -vxE '[0-3]'",
    record: `echo x > ${world.atomicHome}/by-agent`,
    self: "test -r /proc/self/status",
  };
  Bun.spawnSync(["git", "init", "-q"], { cwd: world.project, env: { ...world.env } });
  expect(await turn(world, attempts(tries), ["--sandbox", "worktree"])).toEqual(["self"]);
  expect((await turn(world, attempts(tries))).includes("kill")).toBe(true);
  expect(victim.killed).toBe(false);
});

sandboxed("sockets of other programs can't be connected to, wherever they are", async () => {
  const world = createCliWorld();
  const socket = join(world.home, "daemon.sock");
  let calls = 0;
  const daemon = createServer((_, response) => response.end(`call ${++calls}`));
  await new Promise<void>((resolve) => daemon.listen(socket, () => resolve()));
  afterAll(() => void daemon.close());
  const command = attempts({ daemon: `curl -sf -m 5 --unix-socket ${socket} http://x/`, here: "true" });
  expect(await turn(world, command)).toEqual(["daemon", "here"]);
  for (const mode of ["worktree", "strict"]) expect(await turn(world, command, ["--sandbox", mode])).toEqual(["here"]);
  expect(calls).toBe(1);
});

sandboxed("checks run what an agent wrote, so they are held back too", async () => {
  const world = createCliWorld();
  const outside = join(world.root, "outside");
  mkdirSync(outside);
  const check = `sh check.sh`;
  const command = `echo 'echo x > ${outside}/by-check; test ! -e ${outside}/by-check' > check.sh`;
  await turn(world, command, ["--sandbox", "worktree", "--verify", check]);
  expect(readdirSync(outside)).toEqual([]);
});

sandboxed(
  "a stopped run asks the program inside to end, leaves nothing, and is resumed in the same sandbox",
  async () => {
    const world = createCliWorld();
    const wait = "trap 'echo bye > bye.txt; exit 0' TERM; echo up > up.txt; while :; do sleep 0.05; done";
    const script = world.script("wait", [
      {
        match: "",
        steps: [
          { bash: `test -e bye.txt || { ${wait}; }` },
          { bash: `echo x > ${world.home}/escaped` },
          { say: "Done.\nCOMPLETE" },
        ],
      },
    ]);
    const live = world.start(["ralph", "--yolo", "wait", "-a", "scripted", "--script", script, "--sandbox", "strict"]);
    await eventually("the command runs", () => existsSync(join(world.project, "up.txt")));
    live.signal("SIGINT");
    expect((await live.ended).exitCode).toBe(130);
    expect(readFileSync(join(world.project, "bye.txt"), "utf8")).toBe("bye\n");
    await eventually("nothing is left", () => processesOf(world.root).length === 0);
    expect(readdirSync(world.root).filter((name) => name.startsWith("atomic-sandbox-"))).toEqual([]);

    const resumed = await world.run(["resume", world.onlyRun()]);

    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain(", sandbox strict\n");
    expect(existsSync(join(world.home, "escaped"))).toBe(false);
  },
);

sandboxed("everything in a sandbox ends at once with a host that is killed", async () => {
  const world = createCliWorld();
  const stubborn = "setsid sh -c 'trap \"\" TERM HUP; echo up > up.txt; while :; do sleep 0.05; done'";
  const script = world.script("wait", [{ match: "", steps: [{ bash: stubborn }] }]);
  const live = world.start(["ralph", "--yolo", "wait", "-a", "scripted", "--script", script, "--sandbox", "worktree"]);
  await eventually("the command runs", () => existsSync(join(world.project, "up.txt")));
  live.signal("SIGKILL");
  await live.ended;
  await eventually("nothing is left", () => processesOf(world.project).length === 0);
});

sandboxed("sandbox.write opens a folder, and invalid folders and hosts are refused before the run", async () => {
  const world = createCliWorld();
  const opened = join(world.home, "my data");
  const tries = attempts({ opened: `echo x > '${opened}/file'`, home: `echo x > ${world.home}/file` });
  const script = world.script("turn", [
    { match: "", steps: [{ bash: `{ ${tries}\n} > did.txt 2>&1; true` }, { say: "Done.\nCOMPLETE" }] },
  ]);
  const words = ["ralph", "--yolo", "try", "-a", "scripted", "--script", script, "--sandbox", "strict"];
  const run = await world.run(words, { env: { ATOMIC_SANDBOX_WRITE: "auto, ~/my data" } });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(readFileSync(join(world.project, "did.txt"), "utf8")).toBe("opened\n");
  for (const [env, text] of [
    [{ ATOMIC_SANDBOX_WRITE: "data" }, 'sandbox.write: "data" must be an absolute path, or start with ~/.'],
    [{ ATOMIC_SANDBOX_WRITE: "/proc/none" }, 'sandbox.write: "/proc/none" is not there and can\'t be made.'],
    [{ ATOMIC_SANDBOX_HOSTS: "https://example.com" }, 'sandbox.hosts: "https://example.com" is not a host.'],
  ] as const) {
    const refused = await world.run([...words, "--concurrent"], { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(text);
  }
});

sandboxed("doctor tries the sandbox and recommends it", async () => {
  const world = createCliWorld();
  const { stdout } = await world.run(["doctor"]);
  expect(stdout).toMatch(
    /ok +sandbox +off; bubblewrap [\d.]+ works for worktree and strict\n +Recommended: `atomic config set/,
  );
  expect((await world.run(["config", "set", "sandbox.mode", "worktree"])).exitCode).toBe(0);
  expect((await world.run(["doctor"])).stdout).toMatch(/ok +sandbox +worktree; bubblewrap [\d.]+ works\n/);
});
