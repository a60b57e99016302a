// Runs in a project, where the user keeps runs, that someone else prepared. A record names an
// agent's program and the commands that check the work: none of that starts without the user's consent.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { currentProcess, identityOf } from "../../src/lib/process-identity.ts";
import { createCliWorld, patienceMs } from "./cli-world.ts";

const world = createCliWorld();
const canary = join(world.project, "canary");
const script = world.script("work", [{ steps: [{ say: "Done.\nCOMPLETE" }] }]);
const keepsRunsHere = { ATOMIC_SESSIONS_DIR: ".ralph/sessions" };
const words = ["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--max-iterations", "1"];
const check = ["--verify", `touch ${canary}; false`];

/** Another user, who leaves an unfinished run in the project. */
async function prepare(): Promise<string> {
  const env = { ...keepsRunsHere, HOME: join(world.root, "stranger") };
  const [started] = (await world.run([...words, ...check, "--json"], { env })).events();
  expect(existsSync(canary)).toBe(true);
  rmSync(canary);
  return String(started?.runId);
}

test(
  "a run that a stranger left in the project is not resumed without consent",
  async () => {
    const id = await prepare();
    for (const resume of [["resume"], ["resume", id], ["ralph", "--resume", id]]) {
      const run = await world.run(resume, { env: keepsRunsHere });
      expect(run.stderr).toContain("NOT_TRUSTED");
      expect(run.stderr).toContain(id);
      expect(run.exitCode).toBe(1);
    }
    expect(existsSync(canary)).toBe(false);
    expect((await world.run(["sessions", "show", id], { env: keepsRunsHere })).exitCode).toBe(0);

    const trusted = await world.run(["resume", id, "--trust", "--max-iterations", "2"], { env: keepsRunsHere });
    expect(trusted.stderr).not.toContain("NOT_TRUSTED");
    expect(existsSync(canary)).toBe(true);
  },
  patienceMs,
);

test(
  "the user's own runs resume as they do at home",
  async () => {
    const [started] = (await world.run([...words, ...check, "--json"], { env: keepsRunsHere })).events();
    rmSync(canary, { force: true });
    const run = await world.run(["resume", String(started?.runId), "--max-iterations", "2"], { env: keepsRunsHere });
    expect(run.stderr).not.toContain("NOT_TRUSTED");
    expect(existsSync(canary)).toBe(true);
  },
  patienceMs,
);

test(
  "records of processes that a stranger left in the project end nothing",
  async () => {
    const victim = Bun.spawn(["sleep", "600"], { stdio: ["ignore", "ignore", "ignore"] });
    const gone = Bun.spawn(["true"]);
    const dead = { ...currentProcess(), pid: gone.pid, started: "1" };
    await gone.exited;
    const record = {
      version: 1,
      host: dead,
      children: [{ mark: crypto.randomUUID(), name: "x", isLeader: true, identity: identityOf(victim.pid) }],
    };
    // As if a process had been killed while it worked on the run.
    const leave = (run: string, sessions = "project/.ralph/sessions"): void => {
      world.write(`${sessions}/${run}/processes/${crypto.randomUUID()}.json`, record);
      world.write(`${sessions}/.working/${run}.${crypto.randomUUID()}`, dead);
    };
    const run = (extra: readonly string[], env = {}): Promise<unknown> =>
      world.run(extra, { env: { ...keepsRunsHere, ...env } });
    try {
      const id = await prepare();
      leave(id);
      leave(crypto.randomUUID());
      await run(words);
      await run(["doctor"]);
      await run(["resume", id]);
      await run(["resume", id, "--trust", "--max-iterations", "2"]);
      await run(words);
      // Through links too: to a folder of the user's own that happens to hold such a record.
      const linked = crypto.randomUUID();
      world.write(`elsewhere/${crypto.randomUUID()}.json`, record);
      mkdirSync(join(world.project, ".ralph/sessions", linked), { recursive: true });
      world.write(`project/.ralph/sessions/.working/${linked}.${crypto.randomUUID()}`, dead);
      symlinkSync(join(world.root, "elsewhere"), join(world.project, ".ralph/sessions", linked, "processes"));
      await run(words);
      expect(victim.killed).toBe(false);
      expect(identityOf(victim.pid)).toBeDefined();

      // The trap works: in a run of the user's own it would end.
      const own = [...(await world.run([...words, "--json"])).events()].at(-1)?.runId ?? "";
      leave(own, "home/.atomic/workflows/sessions");
      await world.run(words);
      await victim.exited;
    } finally {
      victim.kill("SIGKILL");
    }
  },
  patienceMs,
);
