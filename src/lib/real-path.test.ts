import { expect, test } from "bun:test";
import { posix, win32 } from "node:path";
import { isInside } from "./real-path.ts";

test.each([
  [win32, "C:\\work", "C:\\work\\a\\b.txt", true],
  [win32, "C:\\work", "C:\\work\\..a", true],
  [win32, "C:\\work", "C:\\outside\\new.txt", false],
  [win32, "C:\\work", "C:\\", false],
  [win32, "C:\\work", "D:\\work\\a.txt", false],
  [win32, "C:\\work", "\\\\server\\share\\a.txt", false],
  [posix, "/project", "/project/..a/b", true],
  [posix, "/project", "/outside/a", false],
] as const)("isInside goes by the rules of the system (%#)", (paths, root, path, expected) => {
  expect(isInside(path, root, paths)).toBe(expected);
});
