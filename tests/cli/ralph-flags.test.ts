// Every flag of ralph's own, as a user types it: what it changes can be seen from outside.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, type Ended, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const tasks = (...ids: readonly string[]) => ids.map((id) => ({ id, title: `Task ${id}` }));
const planner = (list: readonly object[]) => ({
  agent: "planner",
  steps: [{ say: JSON.stringify({ tasks: list }) }],
});
const correct = JSON.stringify({ verdict: "correct", findings: [] });
const worker = (...steps: object[]) => ({ agent: "worker", steps: [...steps, { say: "done" }] });

function ralph(world: CliWorld, turns: readonly object[], ...words: string[]): Promise<Ended> {
  return world.run(["ralph", "Do it", "--script", world.script("s", turns), "--json", ...words]);
}

/** The report, as it is in the last events. */
function reportOf(run: Ended): { readonly tasks: readonly Record<string, unknown>[]; readonly [key: string]: unknown } {
  return run.events().find(({ type }) => type === "report.written")?.["report"] as ReturnType<typeof reportOf>;
}

/** How many of these turns ran at the same time, by the lines they left when they began and ended. */
function maxAtOnce(world: CliWorld): number {
  let [now, most] = [0, 0];
  for (const line of readFileSync(join(world.root, "log.txt"), "utf8").split("\n").filter(Boolean)) {
    now += line === "begin" ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

for (const workers of [1, 2, 4]) {
  test(`--workers ${workers} runs this many tasks at the same time`, async () => {
    const world = createCliWorld();
    const log = "echo begin >> ../log.txt; sleep 0.4; echo end >> ../log.txt";
    const run = await ralph(
      world,
      [planner(tasks("1", "2", "3", "4")), worker({ bash: log })],
      "--workers",
      String(workers),
      "--max-reviews",
      "0",
    );

    expect(run.exitCode).toBe(0);
    expect(maxAtOnce(world)).toBe(workers);
  });
}

for (const [flag, value] of [
  ["workers", "0"],
  ["workers", "1.5"],
  ["workers", "many"],
  ["max-tries", "0"],
  ["max-reviews", "-1"],
  ["max-stuck", "-1"],
] as const) {
  test(`--${flag} ${value} is wrong usage, and makes no run`, async () => {
    const world = createCliWorld();
    const run = await ralph(world, [planner(tasks("1")), worker()], `--${flag}=${value}`);

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(`--${flag}`);
    expect(existsSync(world.sessions)).toBe(false);
  });
}

test("--max-tries bounds the tries of a task; the output of the failed check goes back to the worker", async () => {
  const world = createCliWorld();
  const again = {
    agent: "worker",
    match: "not yet \\d of 3",
    steps: [{ bash: "echo again >> ../again.txt" }, { say: "x" }],
  };
  const check = "n=$(cat ../n 2>/dev/null || echo 0); echo $((n+1)) > ../n; echo not yet $n of 3; touch $n; exit 1";
  const run = await ralph(
    world,
    [planner([{ ...tasks("1")[0], verify: check }]), again, worker()],
    "--max-tries",
    "3",
    "--max-reviews",
    "0",
  );

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("1 failed (not done after 3 tries");
  expect(readFileSync(join(world.root, "again.txt"), "utf8")).toBe("again\nagain\n");
  expect(reportOf(run).tasks).toMatchObject([{ id: "1", status: "failed", tries: 3 }]);
});

test("--max-stuck ends a task whose tries change nothing, and 0 never does", async () => {
  const turns = [planner([{ ...tasks("1")[0], verify: "date +%N; exit 1" }]), worker()];
  const stuck = await ralph(createCliWorld(), turns, "--max-tries", "9", "--max-stuck", "1", "--max-reviews", "0");
  const never = await ralph(createCliWorld(), turns, "--max-tries", "4", "--max-stuck", "0", "--max-reviews", "0");

  expect(stuck.stderr).toContain("stuck: 2 tries changed no file but ignored ones and failed in the same way");
  expect(reportOf(stuck).tasks).toMatchObject([{ tries: 2 }]);
  expect(reportOf(never).tasks).toMatchObject([{ tries: 4 }]);
});

test("--max-reviews bounds reviews and the fixes that follow; findings of P3 start none", async () => {
  const finding = (priority: string) => ({ title: `A ${priority}`, body: "…", priority });
  const reviewer = (...findings: object[]) => ({
    agent: "reviewer",
    steps: [{ say: JSON.stringify({ verdict: "incorrect", findings }) }],
  });
  const turns = [planner(tasks("1")), worker(), reviewer(finding("P1"), finding("P3"))];
  const none = await ralph(createCliWorld(), turns, "--max-reviews", "0");
  const two = await ralph(createCliWorld(), turns, "--max-reviews", "2");
  const nit = await ralph(createCliWorld(), [planner(tasks("1")), worker(), reviewer(finding("P3"))]);

  expect(none.events().filter(({ type }) => type === "review.finished")).toHaveLength(0);
  expect(two.events().filter(({ type }) => type === "review.finished")).toHaveLength(2);
  expect(reportOf(two).tasks.map(({ id }) => id)).toEqual(["1", "fix-1-1", "fix-2-1"]);
  expect(reportOf(two)["reviews"]).toMatchObject([{ fixed: 1 }, { fixed: 1 }]);
  expect(reportOf(nit).tasks.map(({ id }) => id)).toEqual(["1"]);
  expect([none, two, nit].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
});

test("a review that can't be read is asked for again, and then kept as it was written, as one finding", async () => {
  const world = createCliWorld();
  const turns = [planner(tasks("1")), worker(), { agent: "reviewer", steps: [{ say: "Looks fine to me!" }] }];
  const run = await ralph(world, turns, "--max-reviews", "1");

  expect(run.exitCode).toBe(0);
  expect(
    run.events().filter((event) => event.type === "agent.turn-started" && event["agent"] === "atomic:reviewer"),
  ).toHaveLength(2);
  expect(reportOf(run)["reviews"]).toMatchObject([
    { verdict: "incorrect", findings: [{ priority: "P2", body: "Looks fine to me!" }] },
  ]);
});

test("a review that is incorrect and finds nothing is asked for again, and then becomes a task", async () => {
  const silent = JSON.stringify({ verdict: "incorrect", findings: [] });
  const turns = [planner(tasks("1")), worker(), { agent: "reviewer", steps: [{ say: silent }] }];
  const run = await ralph(createCliWorld(), turns, "--max-reviews", "1");
  const told = { agent: "reviewer", match: "there are no findings that say why", steps: [{ say: correct }] };
  const again = await ralph(createCliWorld(), [
    planner(tasks("1")),
    worker(),
    { agent: "reviewer", times: 1, steps: [{ say: silent }] },
    told,
  ]);

  expect(reportOf(run).tasks.map(({ id, status }) => [id, status])).toEqual([
    ["1", "completed"],
    ["fix-1-1", "completed"],
  ]);
  expect(reportOf(run)["reviews"]).toMatchObject([
    { verdict: "incorrect", findings: [{ priority: "P2", body: silent }] },
  ]);
  expect(reportOf(again)["reviews"]).toMatchObject([{ verdict: "correct", findings: [] }]);
  expect([run.exitCode, again.exitCode]).toEqual([0, 0]);
});

test("a check that fails while another worker writes is repeated when none does before it counts", async () => {
  const world = createCliWorld();
  // While the slow worker is at it, `busy` is there and the check fails; afterwards it passes.
  const slow = { agent: "worker", task: "slow", steps: [{ bash: "touch busy; sleep 1.5; rm busy" }, { say: "done" }] };
  const quick = {
    agent: "worker",
    task: "quick",
    steps: [{ bash: "while [ ! -e busy ]; do sleep 0.02; done" }, { say: "done" }],
  };
  const run = await ralph(
    world,
    [planner(tasks("slow", "quick")), slow, quick],
    "--verify",
    "test ! -e busy",
    "--max-tries",
    "1",
    "--max-reviews",
    "0",
  );

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(reportOf(run).tasks).toMatchObject([{ tries: 1 }, { tries: 1 }]);
});

test("--pr is refused at the start where there is nowhere to push to; else the agent makes one, and only with it", async () => {
  const world = createCliWorld();
  const git = (...args: readonly string[]): string =>
    Bun.spawnSync(["git", "-c", "user.name=T", "-c", "user.email=t@localhost", ...args], {
      cwd: world.project,
      env: world.env,
    }).stdout.toString();
  git("init", "--quiet", "-b", "main");
  git("commit", "--quiet", "--allow-empty", "-m", "first");
  const opened = {
    match: "pull request",
    steps: [
      { bash: "git push --quiet origin HEAD:refs/heads/work" },
      { say: "Opened https://example.test/pr/7 for you." },
    ],
  };
  const turns = [planner(tasks("1")), worker(), opened];
  const nowhere = await ralph(world, turns, "--pr", "--max-reviews", "0");
  expect(nowhere.stderr).toContain(`--pr needs somewhere to push to, and ${world.project} has no remote.`);
  expect(existsSync(world.sessions)).toBe(false);

  Bun.spawnSync(["git", "init", "--quiet", "--bare", join(world.root, "remote.git")], { env: world.env });
  git("remote", "add", "origin", join(world.root, "remote.git"));
  const without = await ralph(world, turns, "--max-reviews", "0");
  expect(reportOf(without)["pullRequest"]).toBeNull();
  expect(git("ls-remote", "origin")).toBe("");
  const made = await ralph(world, turns, "--pr", "--max-reviews", "0");
  expect(reportOf(made)["pullRequest"]).toBe("https://example.test/pr/7");
  expect(git("ls-remote", "origin")).toContain("refs/heads/work");
  expect([nowhere, without, made].map(({ exitCode }) => exitCode)).toEqual([2, 0, 0]);

  const told = { ...opened, match: "Title: Ship it[\\s\\S]*Base branch: release/2" };
  const words = ["--pr", "--pr-base", "release/2", "--pr-title", "Ship it", "--max-reviews", "0"];
  const named = await ralph(world, [planner(tasks("1")), worker(), told], ...words);
  expect(named.exitCode).toBe(0);
  expect(reportOf(named)["pullRequest"]).toBe("https://example.test/pr/7");
});

test("--pr outside a repository, and options of a pull request without one, are wrong usage", async () => {
  const turns = [planner(tasks("1")), worker()];
  for (const [words, problem] of [
    [["--pr"], /--pr needs a git repository, and .* is in none/],
    [["--pr-base", "main"], /--pr-base requires --pr/],
    [["--pr-title", "T"], /--pr-title requires --pr/],
    [["--pr", "--pr-title", " "], /--pr-title is empty/],
  ] as const) {
    const world = createCliWorld();
    const run = await ralph(world, turns, ...words);

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(problem);
    expect(existsSync(world.sessions)).toBe(false);
  }
  const world = createCliWorld();
  Bun.spawnSync(["sh", "-c", "git init -q . && git remote add origin /nowhere"], {
    cwd: world.project,
    env: world.env,
  });
  const run = await ralph(world, turns, "--pr", "--pr-base", "no..branch");
  expect(run.stderr).toContain(`--pr-base "no..branch" can't be the name of a branch`);
});

test("a failed task blocks what depends on it, the rest still runs, and #1 and 1 are the same dependency", async () => {
  const world = createCliWorld();
  const list = [
    { id: 1, title: "Fails", verify: "false" },
    { id: "2", title: "Waits", blockedBy: ["#1"] },
    { id: "3", title: "Waits more", blockedBy: [2] },
    { id: "4", title: "Free" },
  ];
  const run = await ralph(world, [planner(list), worker()], "--max-tries", "1", "--max-reviews", "0");

  expect(run.exitCode).toBe(1);
  expect(reportOf(run).tasks.map(({ id, status }) => `${String(id)} ${String(status)}`)).toEqual([
    "1 failed",
    "2 blocked",
    "3 blocked",
    "4 completed",
  ]);
  expect(run.stderr).toContain("3 of 4 tasks are not done");
});
