import { expect, test } from "bun:test";
import { closeSync, fstatSync, openSync } from "node:fs";
import { loadLibc } from "./libc.ts";

test("the C library of this process answers: a copied descriptor is the same file", () => {
  const libc = loadLibc();
  const fd = openSync(import.meta.path, "r");
  const copy = libc?.dup(fd) ?? -1;
  try {
    expect(copy).toBeGreaterThan(2);
    expect(fstatSync(copy).ino).toBe(fstatSync(fd).ino);
    expect(libc?.dup(12_345)).toBe(-1);
  } finally {
    closeSync(fd);
    if (copy > 2) closeSync(copy);
  }
});
