// docs/security.md names a test for each promise; each of them is there, under that name.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const projectRoot = join(import.meta.dir, "..");
const text = readFileSync(join(projectRoot, "docs/security.md"), "utf8");

/** The rows of the tables in which a promise stands beside its tests. */
const rows = (/## Promises\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:promise|-+) /.test(line))
  .map((line) => line.slice(1, -1).split(" | "))
  .map(([promise = "", tests = ""]) => ({ promise: promise.trim(), tests: tests.trim() }));

test("every promise has a test, and every test that is named exists", () => {
  expect(rows.length).toBeGreaterThan(20);
  const missing = rows.flatMap(({ promise, tests }) => {
    const named = tests.split(";").flatMap((part) => {
      const file = /`([^`]+\.ts)`/.exec(part)?.[1];
      const names = [...part.matchAll(/"((?:[^"])+)"/g)].map(([, name = ""]) => name);
      return names.length === 0
        ? [`${promise}: ${part} names no test`]
        : names.flatMap((name) => problemOf(file, name));
    });
    return tests === "" ? [`${promise}: no test`] : named;
  });
  expect(missing).toEqual([]);
});

function problemOf(file: string | undefined, name: string): string[] {
  if (file === undefined || !existsSync(join(projectRoot, file))) return [`${file}: no such file`];
  const source = readFileSync(join(projectRoot, file), "utf8");
  return source.includes(`"${name}"`) || source.includes(`\`${name}\``) ? [] : [`${file}: no test "${name}"`];
}
