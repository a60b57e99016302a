// The lock file is what `npm ci` on a stranger's machine goes by; see docs/decisions/006-lock-file.md.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dir, "..", name), "utf8"));
const { packages } = read("package-lock.json") as { packages: Record<string, Entry> };
const manifest = read("package.json") as Entry;

/** Where npm would find `name` from the package at `path`: in its own folder, or further out. */
function isLocked(path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (packages[`${at === "" ? "" : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === "") return false;
  }
}

test("the lock file holds everything that its packages ask for, for every platform", () => {
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${path || "the project"} asks for ${name}`),
  );

  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

test("the lock file pins content and names no registry", () => {
  const entries = Object.entries(packages).filter(([path]) => path !== "");

  expect(entries.filter(([, entry]) => entry.integrity === undefined).map(([path]) => path)).toEqual([]);
  expect(entries.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual([]);
});

test("package.json asks for exact versions, and the lock file has them", () => {
  const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  for (const [name, version] of Object.entries(asked)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages[`node_modules/${name}`]?.version).toBe(version);
  }
});

test("the Bun of every platform is asked for, in one version, and nothing that an install has to run", () => {
  const buns = Object.entries(manifest.optionalDependencies ?? {}).filter(([name]) => name.startsWith("@oven/"));

  expect(new Set(buns.map(([, version]) => version))).toEqual(new Set([Bun.version]));
  expect(buns.map(([name]) => name)).toContain("@oven/bun-linux-x64-musl");
  expect(
    Object.entries(packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path),
  ).toEqual([]);
});
