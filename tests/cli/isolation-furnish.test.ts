// What git leaves out of a work tree and workers need: packages, files that .worktreeinclude names, the user's own
// preparation. None of it lands.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, type IsolationWorld } from "./isolation-world.ts";

setDefaultTimeout(patienceMs);

/** One task, whose worker runs the command and must succeed with it. */
function oneTask(world: IsolationWorld, bash: string): string {
  return world.plan([{ id: "1" }], [{ agent: "worker", steps: [{ bash, expect: 0 }, { say: "done" }] }]);
}

test("packages that git ignores are there for workers, and neither land nor change", async () => {
  const world = createIsolationWorld();
  world.put(".gitignore", "build/\nnode_modules/\n");
  world.put("node_modules/lib/index.js", "lib\n");
  world.put("sub/node_modules/inner/index.js", "inner\n");
  world.put("sub/file.txt", "f\n");
  const script = oneTask(
    world,
    "test -e node_modules/lib/index.js && test -e sub/node_modules/inner/index.js && echo 1 > one.txt",
  );

  const run = await world.ralph(script);

  expect(run.stderr).toMatch(
    /(?:copied into each|shared with your folder, also what workers write there): .*node_modules/,
  );
  expect(run.exitCode).toBe(0);
  expect(world.git("diff", "--name-only", `refs/atomic/run/${world.onlyRun()}/base`, world.head())).toBe("one.txt\n");
  expect(world.file("node_modules/lib/index.js")).toBe("lib\n");
  expect(world.leftTrees()).toEqual([]);
});

test("packages that lead to the repository's own code are not shared, and the run says so", async () => {
  const world = createIsolationWorld();
  world.put(".gitignore", "build/\nnode_modules/\n");
  world.put("packages/own/index.js", "own\n");
  mkdirSync(join(world.project, "node_modules/@me"), { recursive: true });
  symlinkSync("../../packages/own", join(world.project, "node_modules/@me/own"));

  const run = await world.ralph(oneTask(world, "test ! -e node_modules"));

  expect(run.stderr).toContain("node_modules is not shared: it leads to");
  expect(run.exitCode).toBe(0);
});

test("worktrees.share names folders, and none shares nothing", async () => {
  const world = createIsolationWorld();
  world.put(".gitignore", "build/\nnode_modules/\n");
  world.put("node_modules/lib", "lib\n");

  const env = { ATOMIC_WORKTREES_SHARE: "build,shared.txt,../outside" };
  const script = oneTask(world, "test -e build/output && test ! -e node_modules");
  const run = await world.run(["ralph", "Do it", "--script", script, "--max-reviews", "0"], { env });

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("shared.txt is not shared: there is no such folder");
  expect(run.stderr).toContain("../outside is not shared: it is not inside the repository");
  const none = await world.run(
    ["ralph", "Do it", "--script", oneTask(world, "test ! -e node_modules"), "--max-reviews", "0"],
    { env: { ATOMIC_WORKTREES_SHARE: "none" } },
  );
  expect(none.exitCode).toBe(0);
});

test(".worktreeinclude names ignored files that every tree gets a copy of", async () => {
  const world = createIsolationWorld();
  world.put(".gitignore", "build/\n.env*\nsecret/\n");
  world.put(".worktreeinclude", ".env*\n!.env.skip\nsecret/\nother.txt\n");
  for (const name of [".env", ".env.skip", "secret/key", "sub/.env.local"]) world.put(name, `${name}\n`);
  const script = oneTask(
    world,
    "cat .env secret/key sub/.env.local && test ! -e .env.skip && test ! -e build && echo changed > .env && echo 1 > one.txt",
  );

  const run = await world.ralph(script);

  expect(run.exitCode).toBe(0);
  expect(world.file(".env")).toBe(".env\n");
  expect(world.git("diff", "--name-only", `refs/atomic/run/${world.onlyRun()}/base`, world.head())).toBe("one.txt\n");
});

test("worktrees.setup runs once in each tree, and its failure stops the run with what it printed", async () => {
  const world = createIsolationWorld();
  const script = world.plan(
    [{ id: "1" }, { id: "2", blockedBy: ["1"] }],
    [
      {
        agent: "worker",
        steps: [
          { bash: "test $(wc -l < build/prepared) -eq 1 && echo x >> done-$RANDOM.txt", expect: 0 },
          { say: "ok" },
        ],
      },
    ],
  );
  const words = ["ralph", "Do it", "--script", script, "--max-reviews", "0", "--workers", "2"];
  const env = { ATOMIC_WORKTREES_SETUP: "mkdir -p build && echo prepared >> build/prepared && echo all set" };

  const run = await world.run(words, { env });
  expect(run.exitCode).toBe(0);
  expect(run.stderr.match(/in a new folder: exit 0\n +all set/g)?.length).toBe(2);
  expect(existsSync(join(world.project, "build/prepared"))).toBe(false);

  const failed = await world.run(words, { env: { ATOMIC_WORKTREES_SETUP: "echo no network; exit 3" } });
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain("worktrees.setup failed: `echo no network; exit 3` exits with 3");
  expect(failed.stderr).toContain("no network");
});

test("a project's worktrees.setup is code: it does not run without consent", async () => {
  const world = createIsolationWorld();
  const proof = join(world.root, "ran");
  world.put(".atomic/settings.json", JSON.stringify({ worktrees: { setup: `touch ${proof}` } }));
  const script = oneTask(world, "true");

  const refused = await world.ralph(script);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain("NOT_TRUSTED");
  expect(existsSync(proof)).toBe(false);

  expect((await world.ralph(script, "--no-isolate")).exitCode).toBe(0);
  expect(existsSync(proof)).toBe(false);
  expect((await world.ralph(script, "--trust")).exitCode).toBe(0);
  expect(existsSync(proof)).toBe(true);
});
