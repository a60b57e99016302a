import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evidenceAges } from "./evidence-age.ts";
import { treeHash } from "./tree-hash.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function git(cwd: string, ...words: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b.c" };
  const committer = { GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" };
  return Bun.spawnSync(["git", ...words], { cwd, env: { ...env, ...committer } })
    .stdout.toString()
    .trim();
}

function repository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "evidence-")));
  folders.push(folder);
  git(folder, "init", "-q");
  for (const name of ["a", "b", "c"]) writeFileSync(join(folder, `${name}.txt`), name);
  writeFileSync(join(folder, ".gitignore"), "ignored\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  return folder;
}

test("a tree of git is compared file by file: changed, new and removed ones count, ignored ones don't", async () => {
  const folder = repository();
  const tree = git(folder, "rev-parse", "HEAD^{tree}");
  writeFileSync(join(folder, "ignored"), "x");
  const ages = (): Promise<unknown> => evidenceAges(folder, [{ tree, at: 0 }]);

  expect(await ages()).toEqual([{ state: "fresh" }]);
  writeFileSync(join(folder, "a.txt"), "changed");
  writeFileSync(join(folder, "new.txt"), "new");
  rmSync(join(folder, "b.txt"));
  expect(await ages()).toEqual([{ state: "stale", files: 3 }]);
  // The user's own index is as it was.
  expect(git(folder, "status", "--porcelain").split("\n")).toHaveLength(3);
});

test("the hash of a shared folder distinguishes fresh from stale, with the files written since", async () => {
  const folder = repository();
  const tree = (await treeHash(folder)) ?? "";
  const seen = [{ tree, at: Date.now() - 60_000 }];
  expect(await evidenceAges(folder, seen)).toEqual([{ state: "fresh" }]);

  writeFileSync(join(folder, "a.txt"), "changed");
  const [age] = await evidenceAges(folder, [{ tree, at: Date.now() - 60_000 }]);
  expect(age?.state).toBe("stale");
});

test("what can't be compared is unknown: no tree, a tree that is gone, no repository", async () => {
  const folder = repository();
  const bare = realpathSync(mkdtempSync(join(tmpdir(), "evidence-")));
  folders.push(bare);

  expect(
    await evidenceAges(folder, [
      { tree: undefined, at: 0 },
      { tree: "0".repeat(40), at: 0 },
    ]),
  ).toEqual([{ state: "unknown" }, { state: "unknown" }]);
  expect(await evidenceAges(bare, [{ tree: "0".repeat(40), at: 0 }])).toEqual([{ state: "unknown" }]);
});
