// The demo of three workers that edit one file, through the real program: `npm run demo -- one-file` shows the same.

import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { check, files } from "../../demo/one-file/script.ts";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld } from "./isolation-world.ts";

test(
  "three workers add to one file: conflicts and a check that fails only on the merge go back, and all of it lands once",
  async () => {
    const world = createIsolationWorld();
    for (const [name, content] of Object.entries(files)) world.put(name, content);
    world.git("add", ...Object.keys(files));
    world.git("commit", "-qm", "The program");
    const script = join(world.root, "one-file.ts");
    cpSync(join(import.meta.dir, "../../demo/one-file/script.ts"), script);
    const words = ["--workers", "3", "--max-tries", "6", "--max-reviews", "0", "--verify", check];
    const env = { PATH: `${dirname(process.execPath)}:${world.env["PATH"] ?? ""}` };

    const run = await world.start(["ralph", "Add commands", "--script", script, ...words], { env }).ended;

    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain("conflicts with what landed meanwhile (commands.ts); its worker resolves that");
    expect(run.stderr).toMatch(/check bun check.ts: exit 1 \(task (?:time|total)\)/);
    const landed = world.git("log", "--format=%(trailers:key=Atomic-Task,valueonly)", `HEAD..${world.head()}`);
    expect(landed.split("\n").filter(Boolean).toSorted()).toEqual(["hello", "time", "total"]);
    const commands = world.file("commands.ts");
    const names = [...commands.matchAll(/name: "(\w+)", letter: "(\w)"/g)];
    expect(names.map(([, name = ""]) => name).toSorted()).toEqual(["hello", "time", "total"]);
    expect(new Set(names.map(([, , letter]) => letter)).size).toBe(3);
    expect(world.leftTrees()).toEqual([]);
  },
  3 * patienceMs,
);
