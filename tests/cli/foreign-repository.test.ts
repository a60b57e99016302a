// Folders whose `.git` leads somewhere else. Another repository of the user's gets none of our refs and objects, and no
// folder outside the project is read; work trees and submodules, which their repository knows of, work as ever.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

const world = createCliWorld();
const script = world.script("script", [{ steps: [{ say: "Done.\nCOMPLETE" }] }]);
const words = ["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--verify", "true"];
const env = {
  ...world.env,
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

function git(cwd: string, ...args: readonly string[]): string {
  const result = Bun.spawnSync(["git", "-c", "protocol.file.allow=always", ...args], { cwd, env });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString()}`);
  return result.stdout.toString().trim();
}

function repository(name: string): string {
  const folder = join(world.root, name);
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", ".");
  writeFileSync(join(folder, "f"), "one\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  writeFileSync(join(folder, "f"), "two\n");
  return folder;
}

function folder(name: string): string {
  const path = join(world.root, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "g"), "three\n");
  return path;
}

const objectsIn = (repo: string): string => git(repo, "count-objects", "-v");
const keptIn = (repo: string): string => git(repo, "for-each-ref", "--format=%(refname)", "refs/atomic");

describe("a repository of the user's gets nothing from a folder", () => {
  const ways: Readonly<Record<string, (mine: string, theirs: string) => string>> = {
    "whose .git file names it": (mine, theirs) => {
      writeFileSync(join(theirs, ".git"), `gitdir: ${mine}/.git\n`);
      return theirs;
    },
    "whose .git file names one of its work trees": (mine, theirs) => {
      git(mine, "worktree", "add", "-q", `${mine}-tree`);
      writeFileSync(join(theirs, ".git"), readFileSync(join(`${mine}-tree`, ".git")));
      return theirs;
    },
    "whose .git is a link to it": (mine, theirs) => {
      symlinkSync(join(mine, ".git"), join(theirs, ".git"));
      return theirs;
    },
    "whose own repository shares its objects and refs": (mine, theirs) => {
      git(theirs, "init", "-q", ".");
      writeFileSync(join(theirs, ".git/commondir"), `${mine}/.git\n`);
      return theirs;
    },
    "whose refs are a link to its refs": (mine, theirs) => {
      git(theirs, "init", "-q", ".");
      rmSync(join(theirs, ".git/refs"), { recursive: true });
      symlinkSync(join(mine, ".git/refs"), join(theirs, ".git/refs"));
      return theirs;
    },
    "whose objects are a link to its objects": (mine, theirs) => {
      git(theirs, "init", "-q", ".");
      rmSync(join(theirs, ".git/objects"), { recursive: true });
      symlinkSync(join(mine, ".git/objects"), join(theirs, ".git/objects"));
      return theirs;
    },
  };
  for (const [i, [way, lead]] of Object.entries(ways).entries()) {
    test(
      way,
      async () => {
        const mine = repository(`mine-${i}`);
        const cwd = lead(mine, folder(`theirs-${i}`));
        const before = objectsIn(mine);

        const run = await world.run(words, { cwd });

        expect([keptIn(mine), objectsIn(mine)]).toEqual(["", before]);
        expect(run.stderr).toContain("could not be kept");
        expect(run.stderr).toMatch(/does not lead back|is a link out of the repository/);
        expect(run.exitCode).toBe(1);
      },
      patienceMs,
    );
  }
});

test(
  "files outside the project are not kept, wherever core.worktree points",
  async () => {
    const outside = folder("outside");
    writeFileSync(join(outside, "diary"), "private\n");
    for (const [name, workTree] of [
      ["elsewhere", outside],
      ["outside/above", outside],
    ] as const) {
      const theirs = repository(name);
      git(theirs, "config", "core.worktree", workTree);
      const run = await world.run(words, { cwd: theirs });
      expect(run.stderr).toContain("could not be kept");
      expect(keptIn(theirs)).toBe("");
    }
  },
  patienceMs,
);

describe("uncommitted work is kept in", () => {
  const ways: Readonly<Record<string, (name: string) => { cwd: string; repo: string }>> = {
    "a linked work tree": (name) => {
      const main = repository(name);
      git(main, "worktree", "add", "-q", `${main}-tree`);
      return { cwd: `${main}-tree`, repo: main };
    },
    "a submodule": (name) => {
      const inner = repository(`${name}-inner`);
      const outer = repository(name);
      git(outer, "submodule", "--quiet", "add", inner, "sub");
      return { cwd: join(outer, "sub"), repo: join(outer, "sub") };
    },
    "a repository whose git folder is elsewhere and names the folder": (name) => {
      const repo = repository(name);
      renameSync(join(repo, ".git"), `${repo}.git`);
      writeFileSync(join(repo, ".git"), `gitdir: ../${name}.git\n`);
      git(repo, "config", "core.worktree", repo);
      return { cwd: repo, repo };
    },
    "a subfolder": (name) => {
      const repo = repository(name);
      mkdirSync(join(repo, "a/b"), { recursive: true });
      return { cwd: join(repo, "a/b"), repo };
    },
    "a folder that is reached through a link": (name) => {
      const repo = repository(name);
      symlinkSync(repo, `${repo}-link`);
      return { cwd: `${repo}-link`, repo };
    },
  };
  for (const [i, [way, prepare]] of Object.entries(ways).entries()) {
    test(
      way,
      async () => {
        const { cwd, repo } = prepare(`own-${i}`);
        writeFileSync(join(cwd, "h"), "four\n");
        const run = await world.run(words, { cwd });
        expect(run.exitCode).toBe(0);
        expect(git(repo, "ls-tree", "-r", "--name-only", keptIn(repo))).toMatch(/(^|\/)h$/m);
      },
      patienceMs,
    );
  }
});
