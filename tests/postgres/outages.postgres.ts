// A database that fails in the middle of a run of the real program: stopped for ten seconds, and full.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../cli/cli-world.ts";
import { machine, type Machine, turn, twoMachines } from "./machines.ts";
import { type PostgresServer, startPostgres } from "./server.ts";
import { serverFolder } from "./shared-server.ts";

setDefaultTimeout(180_000);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres(serverFolder());
});
afterAll(() => server.dispose());

const on =
  (of: PostgresServer) =>
  (schema: string): string =>
    `${of.url}?schema=${schema}`;
const untilGo = { bash: "while [ ! -e go ]; do sleep 0.05; done" };
const begun = (at: Machine): Promise<unknown> => poll(() => (at.lines().includes("one") ? true : undefined));

test("a run continues after its database was stopped for ten seconds, each turn done and recorded once", async () => {
  const { first, store } = await twoMachines(on(server));
  const script = first.script("s", [turn("one", untilGo), turn("two")]);
  const run = first.start(["run", "steps", "-a", "scripted", "--script", script, "--answer", "ask=yes", "--json"]);
  await begun(first);
  await server.stop();
  // The turn ends while there is no database to record it.
  first.write("project/go", "");
  // How long the outage lasts is what is tested.
  await Bun.sleep(10_000);
  await server.start();
  const ended = await run.ended;
  expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toMatchObject({ exitCode: 0 });
  expect(first.lines()).toEqual(["one", "two"]);
  const [info] = (await store.list()).runs;
  expect(info).toMatchObject({ status: "completed", owner: "none" });
  const events = await Array.fromAsync(store.read(info?.run ?? ""));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  const finished = events.filter(({ type }) => type === "node.finished").map(({ node }) => node);
  expect(finished).toEqual(["one", "ask", "two"]);
  await store.close();
});

/** A small disk, which is gone afterwards. Null where this user may not mount one. */
async function withSmallDisk<T>(body: (disk: string) => Promise<T>): Promise<T | null> {
  const disk = mkdtempSync(join(serverFolder(), "small-"));
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=320m,mode=755", "tmpfs", disk]);
  if (exitCode !== 0) return null;
  try {
    return await body(disk);
  } finally {
    Bun.spawnSync(["umount", "-l", disk]);
  }
}

const canMount = process.platform === "linux" && (await withSmallDisk(() => Promise.resolve(true))) === true;

test.skipIf(!canMount)("a run on a full database stops with what to do, and is resumed when there is room", () =>
  withSmallDisk(async (disk) => {
    const small = await startPostgres(disk);
    try {
      const { first, url, store } = await twoMachines(on(small));
      const second = machine(url, first.project);
      const say = { say: "x".repeat(3_000_000) };
      const script = first.script("s", [
        { match: "one", steps: [{ bash: "echo one >> log.txt" }, untilGo, say] },
        turn("two"),
      ]);
      const run = first.start(["run", "steps", "-a", "scripted", "--script", script, "--answer", "ask=yes"]);
      await begun(first);
      fill(join(disk, "filler"));
      first.write("project/go", "");
      const ended = await run.ended;
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toContain("JOURNAL_WRITE_FAILED");
      expect(ended.stderr).toMatch(/The disk of the database .* is full\. Free some space/);
      expect(ended.stderr).toMatch(/is kept up to record \d+ and can be resumed from there/);

      rmSync(join(disk, "filler"), { recursive: true });
      const [info] = (await store.list()).runs;
      const resumed = await second.run(["resume", info?.run ?? "", "--answer", "ask=yes"]);
      expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toMatchObject({ exitCode: 0 });
      const events = await Array.fromAsync(store.read(info?.run ?? ""));
      const finished = events.filter(({ type }) => type === "node.finished").map(({ node }) => node);
      expect(finished).toEqual(["one", "ask", "two"]);
      await store.close();
    } finally {
      await small.dispose();
    }
  }),
);

/** Takes all the space that is left. */
function fill(folder: string): void {
  mkdirSync(folder);
  for (let bytes = 16 * 1024 * 1024, i = 0; bytes >= 4096; i++) {
    try {
      writeFileSync(join(folder, String(i)), Buffer.alloc(bytes));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      rmSync(join(folder, String(i)), { force: true });
      bytes = Math.floor(bytes / 2);
    }
  }
}
