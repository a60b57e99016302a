import { afterAll, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "./remove-folder.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-remove-"));
afterAll(() => removeFolder(root));

function makeTree(name: string): string {
  const folder = join(root, name);
  mkdirSync(join(folder, "a/b/c"), { recursive: true });
  writeFileSync(join(folder, "a/b/file"), "x");
  writeFileSync(join(folder, "file"), "x");
  return folder;
}

test("removeFolder removes a tree, a file, and what is not there", () => {
  const folder = makeTree("tree");
  expect(removeFolder(join(folder, "file"))).toBe(true);
  expect(removeFolder(folder)).toBe(true);
  expect(existsSync(folder)).toBe(false);
  expect(removeFolder(folder)).toBe(true);
});

test("removeFolder removes links, and leaves what they lead to", () => {
  const [kept, folder] = [makeTree("kept"), makeTree("linking")];
  symlinkSync(kept, join(folder, "link"));
  symlinkSync("/nowhere", join(folder, "dangling"));
  expect(removeFolder(folder)).toBe(true);
  expect(existsSync(join(kept, "a/b/file"))).toBe(true);
});

test("removeFolder throws what the system says about anything else", () => {
  expect(() => removeFolder(join(root, "x".repeat(300)))).toThrow("ENAMETOOLONG");
});

const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;
const canMountFuse =
  process.getuid?.() === 0 && existsSync("/dev/fuse") && Bun.which("bindfs", { PATH: path }) !== null;

/** FUSE gives a file that is removed while it is open another name, and keeps it in the folder. */
test.if(canMountFuse)("removeFolder returns on FUSE while a file inside is open", () => {
  const [under, mount] = [join(root, "under"), join(root, "mount")];
  for (const folder of [under, mount]) mkdirSync(folder);
  const run = (...words: string[]) => Bun.spawnSync(words, { env: { PATH: path } });
  expect(run("bindfs", under, mount).exitCode).toBe(0);
  try {
    const folder = join(mount, "folder");
    mkdirSync(join(folder, "deep"), { recursive: true });
    writeFileSync(join(folder, "deep/file"), "x");
    const fd = openSync(join(folder, "deep/file"), "r");
    expect(removeFolder(folder)).toBe(false);
    expect(readdirSync(join(folder, "deep"))[0]).toStartWith(".fuse_hidden");
    closeSync(fd);
    expect(removeFolder(folder)).toBe(true);
  } finally {
    run("umount", mount);
  }
});
