import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileAtomically, isSystemError, publishFile, writeFileAtomically } from "./atomic-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "atomic-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("writeFileAtomically creates and replaces a file and leaves nothing else", () => {
  const path = join(folder, "a.json");
  writeFileAtomically(path, "one");
  writeFileAtomically(path, "two ✓");
  expect(readFileSync(path, "utf8")).toBe("two ✓");
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("writeFileAtomically creates files that only the user can read, unless they are shared, and keeps existing permissions", () => {
  const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777;
  const umask = process.umask(0o022);
  try {
    writeFileAtomically(join(folder, "private"), "mine");
    writeFileAtomically(join(folder, "shared"), "ours", "shared");
    writeFileSync(join(folder, "there"), "old", { mode: 0o640 });
    writeFileAtomically(join(folder, "there"), "new");
    expect([modeOf("private"), modeOf("shared"), modeOf("there")]).toEqual([0o600, 0o644, 0o640]);
  } finally {
    process.umask(umask);
  }
});

test("writeFileAtomically keeps the old file and cleans up when it can't replace it", () => {
  const path = join(folder, "taken");
  writeFileAtomically(join(folder, "keep"), "old");
  expect(() => writeFileAtomically(join(path, "x"), "new")).toThrow(expect.objectContaining({ code: "ENOENT" }));
  expect(readdirSync(folder)).toEqual(["keep"]);
});

test("createFileAtomically leaves a file that exists as it is", () => {
  const path = join(folder, "segment");
  expect(createFileAtomically(path, "first")).toBe(true);
  expect(createFileAtomically(path, "second")).toBe(false);
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["segment"]);
});

test("publishFile copies where the file system has no hard links, still exclusively", () => {
  const noLinks = (): never => {
    throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
  };
  const from = join(folder, "from");
  const to = join(folder, "to");
  writeFileSync(from, "content");
  expect(publishFile(from, to, noLinks)).toBe(true);
  expect(readFileSync(to, "utf8")).toBe("content");
  expect(publishFile(from, to, noLinks)).toBe(false);
  expect(existsSync(from)).toBe(true);
});

test("isSystemError tells errors of the system from errors of the call itself", () => {
  const thrownBy = (call: () => unknown): unknown => {
    try {
      return call();
    } catch (thrown) {
      return thrown;
    }
  };
  expect(isSystemError(thrownBy(() => readFileSync("/nowhere/at/all")))).toBe(true);
  expect(isSystemError(thrownBy(() => readFileSync("/")))).toBe(true);
  expect(isSystemError(Object.assign(new TypeError("x"), { code: "ERR_INVALID_ARG_TYPE" }))).toBe(false);
  expect(isSystemError(new SyntaxError("x"))).toBe(false);
});
