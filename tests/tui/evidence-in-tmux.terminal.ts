// Evidence in tmux, for a run of the real program: fresh after the run, stale once a file has changed.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

test.skipIf(tmuxProgram === null)(
  "evidence is fresh after a run, and stale with the number of files that changed",
  async () => {
    const world = createCliWorld();
    for (const words of [
      ["init", "-q"],
      ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "first"],
    ])
      Bun.spawnSync(["git", ...words], { cwd: world.project, env: world.env });
    const tasks = [
      { id: "1", title: "fetch", verify: "test -f a.txt" },
      { id: "2", title: "docs" },
    ];
    const script = world.script("ralph", [
      { agent: "planner", steps: [{ say: JSON.stringify({ tasks }) }] },
      { task: "1", steps: [{ write: { path: "a.txt", content: "one\n" } }, { say: "Done." }] },
      { match: "review", steps: [{ say: '{"verdict":"correct","findings":[]}' }] },
      { steps: [{ say: "Done." }] },
    ]);
    const { exitCode } = await world.run(["run", "ralph", "add a fetcher", "--script", script, "--workers", "1"]);
    expect(exitCode).toBe(0);

    const screen = createTmux(world).open([world.program, "chat", "--script", script]);
    await screen.seen("? keys");
    screen.keys("F5");
    const fresh = await screen.seen(/✓ 1 fetch +test -f a\.txt +exit 0 +tree [0-9a-f]{4} +fresh/);
    expect(fresh).toMatch(/○ 2 docs +not checked/);

    world.write("project/a.txt", "changed\n");
    world.write("project/b.txt", "new\n");
    screen.keys("r");
    await screen.seen(/! 1 fetch +test -f a\.txt +exit 0 +tree [0-9a-f]{4} +stale, 2 files/);
  },
);
