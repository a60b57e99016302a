import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFiles } from "./remove-files.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-remove-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** As many folders as several processes remove at once, below others. */
function fill(folder: string, folders: number): void {
  for (let i = 0; i < folders; i++) {
    const inner = join(folder, "src", String(i % 5), `-folder ${i}`);
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, "a\nfile"), "");
  }
}

test.each([3, 300])("a folder of %i folders is removed, and nothing that a link in it leads to", async (folders) => {
  const outside = join(root, `outside-${folders}`);
  fill(outside, 2);
  const folder = join(root, `folder-${folders}`);
  fill(folder, folders);
  symlinkSync(outside, join(folder, "link"));
  symlinkSync(outside, join(folder, "src/0/-link"));
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/src/0/`), Buffer.from([0xff, 0xfe])]), "");

  await removeFiles(folder);

  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(outside, { recursive: true }).filter((name) => String(name).endsWith("file"))).toHaveLength(2);
});

test("a folder of a thousand files is removed, two at a time and more", async () => {
  const folders = ["one", "two", "three"].map((name) => join(root, name));
  for (const folder of folders) {
    mkdirSync(folder);
    for (let i = 0; i < 1000; i++) writeFileSync(join(folder, `${i}`), "");
  }
  await Promise.all(folders.map((folder) => removeFiles(folder)));
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
});

test("a link in place of the folder is removed, and not what it leads to", async () => {
  const kept = join(root, "kept");
  fill(kept, 100);
  symlinkSync(kept, join(root, "link"));

  await removeFiles(join(root, "link"));
  await removeFiles(join(root, "was never there"));

  expect(readdirSync(root)).not.toContain("link");
  expect(readdirSync(join(kept, "src/0"))).toHaveLength(20);
});
