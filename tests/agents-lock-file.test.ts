// The lock file of the real agent programs, which are installed only for their own suites: see tests/agents/README.md.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  os?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dir, "agents", name), "utf8"));
const { packages } = read("package-lock.json") as { packages: Record<string, Entry> };
const { dependencies = {} } = read("package.json") as Entry;

test("the agents' lock file has every program in the version that package.json pins", () => {
  expect(Object.keys(dependencies).length).toBeGreaterThan(4);
  for (const [name, version] of Object.entries(dependencies)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages[`node_modules/${name}`]?.version).toBe(version);
  }
});

test("the agents' lock file lists the packages of every platform, or npm ci refuses it", () => {
  const missing = Object.values(packages)
    .flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
    .filter((name) => packages[`node_modules/${name}`] === undefined);

  expect(missing).toEqual([]);
});

test("the agents' lock file names no registry, and pins the content of all that Linux installs on x64", () => {
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  const unpinned = entries.filter(([, entry]) => entry.integrity === undefined).map(([path]) => path);

  expect(entries.filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
  expect(unpinned.filter((path) => !/darwin|win32|windows|arm64/.test(path))).toEqual([]);
});
