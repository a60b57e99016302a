import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { countDiscarded, discardTree, endRemoval, maxDiscarded, removeForeign } from "./discarded-trees.ts";
import { recoverTrees, removeAllTrees } from "./recover.ts";
import { openRepository, type RunRepository } from "./run-repository.ts";
import { readTreeRecords } from "./tree-records.ts";
import { dropTree, ensureTree, listTrees, type WorkTree } from "./work-tree.ts";

setDefaultTimeout(120_000);

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-discarded-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const top = join(root, "repository");

function git(...args: readonly string[]): string {
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const env = { PATH: process.env["PATH"], HOME: root };
  const done = Bun.spawnSync(["git", ...author, ...args], { cwd: root, env });
  if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
  return done.stdout.toString().trim();
}

git("init", "-q", top);
writeFileSync(join(top, "a.txt"), "a\n");
git("-C", top, "add", ".");
git("-C", top, "commit", "-qm", "Start");
const base = git("-C", top, "rev-parse", "HEAD");
const start = { content: base, head: base };

let next = 1;

function open(): Promise<RunRepository> {
  const run = `${String(next++).padStart(8, "a")}-0000-4000-8000-000000000000`;
  return openRepository({ run, top, dir: join(root, run), processesDir: join(root, "processes"), base });
}

function recordsOf(run: RunRepository): readonly string[] {
  return readTreeRecords(run.commonDir, run.run).map(({ name }) => name);
}

/** As if a process had been killed in `discardTree`. */
function leave({ record, folder }: WorkTree, isMoved: boolean): { readonly record: string; readonly folder: string } {
  rmSync(join(record, "made"));
  const name = basename(record).replace(/[^-]+$/, "_discarded-1");
  const left = { record: join(dirname(record), name), folder: join(dirname(folder), name) };
  renameSync(record, left.record);
  if (isMoved) renameSync(folder, left.folder);
  return left;
}

test("a tree that is dropped frees its name at once, and is gone at the end of the run", async () => {
  const run = await open();
  const first = await ensureTree(run, "one", start);
  writeFileSync(join(first.folder, "mine.txt"), "mine\n");

  await dropTree(run, "one");
  expect(listTrees(run)).toEqual([]);
  const second = await ensureTree(run, "one", start);
  expect(second.isNew).toBe(true);
  expect(second.folder).toBe(first.folder);
  expect(existsSync(join(second.folder, "mine.txt"))).toBe(false);

  await removeAllTrees(run);
  expect(recordsOf(run)).toEqual([]);
  expect(existsSync(run.dir)).toBe(false);
});

test("another tree is made only when few are left to remove", async () => {
  const run = await open();
  for (let i = 0; i < 12; i++) {
    await ensureTree(run, `task-${i}`, start);
    // Those that wait and the one that is being dropped.
    expect(countDiscarded(run)).toBeLessThanOrEqual(maxDiscarded);
    await dropTree(run, `task-${i}`);
  }
  await removeAllTrees(run);
  expect(recordsOf(run)).toEqual([]);
});

test.each([false, true])(
  "a kill while a tree is renamed (its folder moved: %p) leaves nothing for good",
  async (moved) => {
    const run = await open();
    const left = leave(await ensureTree(run, "one", start), moved);

    await recoverTrees(run, new Set(["one"]));
    const again = await ensureTree(run, "one", start);
    writeFileSync(join(again.folder, "mine.txt"), "mine\n");

    expect(await endRemoval(run)).toEqual([]);
    expect([left.folder, left.record].filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(join(again.folder, "mine.txt"))).toBe(true);
    await removeAllTrees(run);
  },
);

test("a large tree is removed by a separate process, and the run's end does not wait", async () => {
  const run = await open();
  const tree = await ensureTree(run, "one", start);
  writeFileSync(join(tree.record, "index"), new Uint8Array(2 * 1024 ** 2));

  expect(discardTree(run, "one")).toBe(true);
  const [name = ""] = recordsOf(run);
  expect(await endRemoval(run)).toEqual([]);
  expect(countDiscarded(run)).toBe(0);

  await eventually(`${name} is gone`, () => recordsOf(run).length === 0 && !existsSync(run.dir), 60_000);
});

test("what another run left is removed, and a tree that it has made in the same place is not", async () => {
  const [ended, busy, own] = await Promise.all([open(), open(), open()]);
  const left = leave(await ensureTree(ended, "one", start), true);
  const moving = leave(await ensureTree(busy, "one", start), false);

  removeForeign(own);

  const isGone = (): boolean => !existsSync(left.folder) && !existsSync(left.record);
  await eventually("the tree of the ended run is gone", isGone, 60_000);
  expect(recordsOf(busy)).toEqual([basename(moving.record)]);
  expect(existsSync(join(busy.dir, basename(moving.record).replace("_discarded-1", "one")))).toBe(true);
  await removeAllTrees(busy);
});
