// A home on FUSE that keeps no file modes, as exFAT and network drives look: trust, runs and their removal work there.
// Needs root and bindfs; skipped elsewhere.

import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, existsSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
const canMountFuse =
  process.getuid?.() === 0 && existsSync("/dev/fuse") && Bun.which("bindfs", { PATH: path }) !== null;

test.if(canMountFuse)(
  "on a file system without modes, locks and shared memory everything works, and doctor says so",
  async () => {
    const world = createCliWorld();
    const [under, home] = [join(world.root, "under"), join(world.root, "mounted")];
    for (const folder of [under, home]) mkdirSync(folder);
    const run = (...words: string[]) => Bun.spawnSync(words, { env: { PATH: path } });
    const mounted = run("bindfs", "-p", "0777", "--chmod-ignore", "--chown-ignore", under, home);
    expect(mounted.exitCode).toBe(0);
    afterAll(() => void run("umount", "-l", home));
    const env = { ATOMIC_HOME: home };
    world.write(
      "project/.atomic/workflows/local.ts",
      `import { existsSync, writeFileSync } from "node:fs";
import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "local";
export const description = "Asks, then stays";
export const prompt = "optional";
const stay = createNode({ id: "stay", execute: async (ctx) => {
  if (ctx.state.prompt === "die" && !existsSync("died")) {
    writeFileSync("died", "");
    process.kill(process.pid, "SIGKILL");
  }
  return { stateUpdate: { outputs: { stay: "stayed" } } };
} });
export default () => graph().start(askUserNode({ id: "sure", question: "Sure?" })).then(stay);
`,
    );
    const script = world.script("nothing", []);
    const words = ["run", "local", "--script", script, "--json"];

    expect((await world.run(["trust", "--yes"], { env })).exitCode).toBe(0);
    expect(lstatSync(join(home, "trust.json")).mode & 0o777).toBe(0o777);
    const paused = await world.run(words, { env });
    expect(paused.stderr).not.toContain("NOT_TRUSTED");
    expect(paused.exitCode).toBe(4);
    const id = paused.events()[0]?.runId ?? "";
    const session = join(home, "workflows/sessions", id);
    const database = new Database(join(session, "journal.sqlite"), { readonly: true });
    expect(database.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
    database.close(true);
    expect((await world.run(["resume", id, "--answer", "Sure?=yes"], { env })).exitCode).toBe(0);

    const killed = await world.run([...words, "die", "--answer", "Sure?=yes"], { env });
    const other = killed.events()[0]?.runId ?? "";
    expect(killed.events().at(-1)?.type).not.toBe("run.finished");
    const listed = JSON.parse((await world.run(["sessions", "--json"], { env })).stdout) as {
      id: string;
      status: string;
    }[];
    expect(listed.map((each) => [each.id, each.status])).toEqual([
      [other, "interrupted"],
      [id, "completed"],
    ]);
    expect((await world.run(["resume"], { env })).exitCode).toBe(0);

    const doctor = await world.run(["doctor"], { env });
    expect(doctor.stdout).toMatch(/warning home .*\n.*keeps no file modes/);
    expect(doctor.stdout).toMatch(/ok +runs .*\n.*rollback journal: the file system there \(fuse\)/);

    // A file that another program has open stays under another name, and removing the run still finishes.
    const fd = openSync(join(session, "session.json"), "r");
    const removing = world.start(["sessions", "rm", id], { env });
    const removed = await removing.ended;
    expect(removed.exitCode).toBe(1);
    expect(removed.stderr).toContain("another program has a file in");
    closeSync(fd);
    await poll(() => (existsSync(join(session, "session.json")) ? undefined : true));
    expect((await world.run(["sessions", "rm", id], { env })).exitCode).toBe(0);
    expect(existsSync(session)).toBe(false);
    expect((await world.run(["sessions", "--json"], { env })).stdout).not.toContain(id);
  },
);
