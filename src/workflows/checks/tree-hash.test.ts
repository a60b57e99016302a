import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { treeHash } from "./tree-hash.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-tree-hash-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, "project-"));
  for (const [name, text] of Object.entries(files)) write(folder, name, text);
  return folder;
}

function write(folder: string, name: string | Buffer, text: string): void {
  const path = typeof name === "string" ? join(folder, name) : Buffer.concat([Buffer.from(`${folder}/`), name]);
  if (typeof path === "string") mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function git(folder: string, ...args: readonly string[]): void {
  const words = [
    "git",
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@localhost",
    "-c",
    "protocol.file.allow=always",
    ...args,
  ];
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd: folder, env });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
}

function repositoryWith(files: Readonly<Record<string, string>>): string {
  const folder = folderWith(files);
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "--allow-empty", "-m", "first");
  return folder;
}

/** The names before and after a change, and after the same content is there again. */
async function names(folder: string, change: () => void, undo: () => void): Promise<readonly (string | null)[]> {
  const seen = [await treeHash(folder)];
  change();
  seen.push(await treeHash(folder));
  undo();
  seen.push(await treeHash(folder));
  return seen;
}

for (const [what, name] of [
  ["a tracked file", "src/a.ts"],
  ["an untracked file", "new.txt"],
  ["a file whose name is not text", Buffer.from([0x66, 0xff, 0xfe])],
] as const) {
  test(`in a repository, the content of ${what} is part of the tree's name, and nothing else of it`, async () => {
    const folder = repositoryWith({ "src/a.ts": "one" });
    write(folder, name, "aaa");
    const [before, changed, again] = await names(
      folder,
      () => write(folder, name, "bbb"),
      () => write(folder, name, "aaa"),
    );

    expect(before).toMatch(/^[0-9a-f]{16}$/);
    expect(changed).not.toBe(before as string);
    expect(again).toBe(before as string);
  });
}

test("in a repository, a commit, a link's target and a removed file change the tree's name", async () => {
  const folder = repositoryWith({ a: "1", b: "2" });
  symlinkSync("a", join(folder, "link"));
  const first = await treeHash(folder);
  rmSync(join(folder, "link"));
  symlinkSync("b", join(folder, "link"));
  const second = await treeHash(folder);
  rmSync(join(folder, "b"));
  const third = await treeHash(folder);
  git(folder, "add", "--all");
  git(folder, "commit", "-q", "-m", "second");
  const fourth = await treeHash(folder);

  expect(new Set([first, second, third, fourth]).size).toBe(4);
});

test("in a repository, what changes inside a submodule or another repository changes the tree's name", async () => {
  const library = repositoryWith({ "lib.ts": "1" });
  const folder = repositoryWith({ a: "1" });
  git(folder, "submodule", "--quiet", "add", library, "lib");
  git(folder, "commit", "-q", "-m", "with a submodule");
  mkdirSync(join(folder, "inner"));
  git(folder, "-C", "inner", "init", "-q");
  write(folder, "inner/a", "1");
  for (const name of ["lib/lib.ts", "inner/a"]) {
    const [before, changed, again] = await names(
      folder,
      () => write(folder, name, "2"),
      () => write(folder, name, "1"),
    );
    expect(changed).not.toBe(before as string);
    expect(again).toBe(before as string);
  }
});

test("a file that can't be read counts by what the file system says of it", async () => {
  const folder = repositoryWith({});
  write(folder, "secret", "aaa");
  chmodSync(join(folder, "secret"), 0o200);
  const before = await treeHash(folder);
  expect(await treeHash(folder)).toBe(before);
  write(folder, "secret", "bbb");
  expect(await treeHash(folder)).not.toBe(before);
});

test("without git, a file that changes changes the name of the tree, whatever its size and time say", async () => {
  const folder = folderWith({ "src/a.ts": "1" });
  utimesSync(join(folder, "src/a.ts"), 1, 1);
  const before = await treeHash(folder);
  expect(await treeHash(folder)).toBe(before);
  write(folder, "src/a.ts", "2");
  utimesSync(join(folder, "src/a.ts"), 1, 1);
  expect(await treeHash(folder)).not.toBe(before);
});

test("without git, new folders and files whose names are not text are seen", async () => {
  const folder = folderWith({ "src/a.ts": "1" });
  const seen = [await treeHash(folder)];
  mkdirSync(join(folder, "empty"));
  seen.push(await treeHash(folder));
  write(folder, Buffer.from([0xff, 0x61]), "1");
  seen.push(await treeHash(folder));
  write(folder, Buffer.from([0xff, 0x61]), "2");
  seen.push(await treeHash(folder));
  expect(new Set(seen).size).toBe(4);
});

test("without git, sessions that are kept in the project don't count as a change", async () => {
  const folder = folderWith({ "src/a.ts": "1", ".ralph/sessions/.gitignore": "*\n", ".ralph/sessions/x/journal": "1" });
  const before = await treeHash(folder);
  write(folder, ".ralph/sessions/x/journal", "12");
  write(folder, ".ralph/sessions/y/journal", "1");
  expect(await treeHash(folder)).toBe(before);
  write(folder, ".ralph/notes.md", "new");
  expect(await treeHash(folder)).not.toBe(before);
});
