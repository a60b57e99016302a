import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeInside } from "./write-inside.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-inside-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folder = join(root, "work");
const outside = join(root, "outside");
beforeEach(() => {
  for (const path of [folder, outside]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
  }
  writeFileSync(join(outside, "victim.txt"), "untouched");
});

test("writeInside makes the folders on the way", async () => {
  await writeInside(folder, "a/b/c.txt", "x");
  expect(readFileSync(join(folder, "a/b/c.txt"), "utf8")).toBe("x");
});

test("writeInside follows a link that stays inside", async () => {
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "link"));
  await writeInside(folder, "link/a.txt", "x");
  expect(readFileSync(join(folder, "real/a.txt"), "utf8")).toBe("x");
});

const ways: readonly (readonly [string, string, (() => void)?])[] = [
  ["..", "../outside/new.txt"],
  ["an absolute path", join(outside, "new.txt")],
  [".. behind a folder that does not exist", "none/../../outside/new.txt"],
  ["a linked folder", "link/new.txt", () => symlinkSync(outside, join(folder, "link"))],
  ["a folder below a linked folder", "link/deep/new.txt", () => symlinkSync(outside, join(folder, "link"))],
  ["a linked file", "file.txt", () => symlinkSync(join(outside, "victim.txt"), join(folder, "file.txt"))],
];

for (const [name, path, prepare] of ways) {
  test(`writeInside refuses to leave the folder by ${name}`, async () => {
    prepare?.();
    await expect(writeInside(folder, path, "x")).rejects.toThrow(/outside the working folder/);
    expect(readdirSync(outside)).toEqual(["victim.txt"]);
    expect(readFileSync(join(outside, "victim.txt"), "utf8")).toBe("untouched");
  });
}

test("writeInside refuses a link that leads nowhere, or in a cycle", async () => {
  symlinkSync(join(outside, "new.txt"), join(folder, "dangling"));
  symlinkSync("circle", join(folder, "circle"));
  await expect(writeInside(folder, "dangling", "x")).rejects.toThrow(/outside/);
  await expect(writeInside(folder, "circle", "x")).rejects.toThrow(/outside/);
  expect(existsSync(join(outside, "new.txt"))).toBe(false);
});
