import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { treeHash } from "./tree-hash.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-tree-hash-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, "project-"));
  for (const [name, text] of Object.entries(files)) write(folder, name, text);
  return folder;
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

test("without git, a file that changes its size changes the name of the tree", async () => {
  const folder = folderWith({ "src/a.ts": "1" });
  const before = await treeHash(folder);
  expect(await treeHash(folder)).toBe(before);
  write(folder, "src/a.ts", "12");
  expect(await treeHash(folder)).not.toBe(before);
});

test("without git, sessions that are kept in the project are no change of it", async () => {
  const folder = folderWith({ "src/a.ts": "1", ".ralph/sessions/.gitignore": "*\n", ".ralph/sessions/x/journal": "1" });
  const before = await treeHash(folder);
  write(folder, ".ralph/sessions/x/journal", "12");
  write(folder, ".ralph/sessions/y/journal", "1");
  expect(await treeHash(folder)).toBe(before);
  write(folder, ".ralph/notes.md", "new");
  expect(await treeHash(folder)).not.toBe(before);
});
