import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitAccess } from "./git-access.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-git-access-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const env = { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
const author = ["-c", "user.name=T", "-c", "user.email=t@example.com"];

function git(cwd: string, ...args: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd, env });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

function repository(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  git(folder, "init", "-q");
  git(folder, ...author, "commit", "-q", "--allow-empty", "-m", "start");
  return folder;
}

test("gitAccess of the user's own checkout protects hooks and configuration, also where the hooks are missing", () => {
  const folder = repository("own");
  rmSync(join(folder, ".git/hooks"), { recursive: true });
  const { write, read } = gitAccess(folder);
  expect(write).toEqual([join(folder, ".git")]);
  expect(read).toContain(join(folder, ".git/hooks"));
  expect(read).toContain(join(folder, ".git/config"));
  expect(existsSync(join(folder, ".git/hooks"))).toBe(true);
});

test("gitAccess protects hooks that the project keeps beside its files", () => {
  const folder = repository("husky");
  mkdirSync(join(folder, ".husky/_"), { recursive: true });
  git(folder, "config", "core.hooksPath", ".husky/_");
  expect(gitAccess(folder).read).toContain(join(folder, ".husky/_"));
});

test("gitAccess of a linked work tree reaches what git needs of the repository, and not what names it", () => {
  const folder = repository("main");
  const tree = join(root, "tree");
  git(folder, "worktree", "add", "-q", "--detach", tree);
  const { write, read } = gitAccess(tree);
  const inside = ["logs", "objects", "refs", "worktrees/tree"].map((name) => join(folder, ".git", name));
  expect([...write].sort()).toEqual(inside);
  for (const name of ["commondir", "gitdir", "config.worktree"])
    expect(read).toContain(join(folder, ".git/worktrees/tree", name));
  expect(read).toContain(join(tree, ".git"));
});

test("gitAccess does not believe a .git file that the folder it names knows nothing of", () => {
  const victim = repository("victim");
  const forged = join(root, "forged");
  mkdirSync(forged);
  for (const target of [join(victim, ".git"), join(victim, ".git/worktrees/none")]) {
    writeFileSync(join(forged, ".git"), `gitdir: ${target}\n`);
    expect(gitAccess(forged)).toEqual({ write: [], read: [join(forged, ".git")] });
  }
});
