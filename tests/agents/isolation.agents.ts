// Workers in separate folders on the real Claude Code, end to end: three that edit one line, two whose check passes
// alone and fails on the merge, and a kill in the middle.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claudeProgram } from "./ralph-programs.ts";
import { createRalphWorld, startedId } from "./ralph-world.ts";

const limitMs = 600_000;
const world = createRalphWorld(claudeProgram);

test(
  "claude: workers in separate folders, killed and resumed: each change lands once, and the user's folder gets all",
  async () => {
    const project = world.newProject("isolated");
    const tasks = ["hot:1", "hot:2", "hot:3", "count:4", "count:5"].map((mark) => ({
      ...{ id: mark.slice(-1), name: `Part ${mark.slice(-1)}`, status: "pending" },
      description: `A part of the work. @@${mark}`,
    }));
    world.write("isolated/research/feature-list.json", { features: tasks });
    world.write("isolated/shared.txt", "top\nHOT\nbottom\n");
    const commit = "git add . && git -c user.name=T -c user.email=t@localhost commit -qm Start";
    expect(world.inProject(project, commit)).toBe(0);
    const state = "git status --porcelain=v2 --branch; git for-each-ref refs/heads refs/stash; cat shared.txt";
    const look = (): string =>
      Bun.spawnSync(["sh", "-c", state], { cwd: project, env: { ...world.env() } }).stdout.toString();
    const before = look();
    const check = "test ! -e parts || test $(cat count.txt) = $(ls parts | wc -l)";
    const words = ["--verify", check, "--max-reviews", "0", "--workers", "5", "--max-tries", "6"];

    const live = world.ralph(project, words);
    await live.seen("✓");
    live.signal("SIGKILL");
    await live.ended;
    expect(look()).toBe(before);
    const id = startedId(live.stderr());
    const run = await world.start(["resume", id], { cwd: project }).ended;

    expect(run.stderr).toContain("5 of 5 tasks");
    expect(run.exitCode).toBe(0);
    const read = (name: string): string => readFileSync(join(project, name), "utf8");
    expect(read("shared.txt").trim().split("\n").toSorted()).toEqual([
      "HOT",
      "bottom",
      "line 1",
      "line 2",
      "line 3",
      "top",
    ]);
    expect(readdirSync(join(project, "parts")).toSorted()).toEqual(["4", "5"]);
    expect(read("count.txt").trim()).toBe("2");
    const log = `git log --format=%s HEAD..refs/atomic/run/${id}/head | sort | uniq -c | grep -vq ' 1 '`;
    expect(world.inProject(project, log)).toBe(1);
    expect(world.asked("with conflict markers").length).toBeGreaterThan(0);
    expect(world.asked("An earlier try of this task did not pass").length).toBeGreaterThan(0);
    expect(readdirSync(join(project, ".git/atomic/trees"))).toEqual([]);
    expect(existsSync(join(world.sessions, id, "trees"))).toBe(false);
    expect(world.inProject(project, "git fsck --strict --no-dangling")).toBe(0);
  },
  limitMs,
);
