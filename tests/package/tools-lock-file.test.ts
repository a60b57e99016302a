// The lock file of the tools that the package is tried with, which are installed only for that check.

import { expect, test } from "bun:test";
import lock from "../../scripts/package-check/tools/package-lock.json" with { type: "json" };
import manifest from "../../scripts/package-check/tools/package.json" with { type: "json" };

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const packages: Readonly<Record<string, Entry>> = lock.packages;

test("the tools' lock file has every tool in the version that package.json pins", () => {
  expect(Object.keys(manifest.dependencies)).toContain("typescript");
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages[`node_modules/${name}`]?.version).toBe(version);
  }
});

test("the tools' lock file is complete on every platform, pins content and names no registry", () => {
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  const missing = Object.values(packages)
    .flatMap((entry) => Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
    .filter((name) => packages[`node_modules/${name}`] === undefined);

  expect(missing).toEqual([]);
  expect(entries.filter(([, entry]) => entry.integrity === undefined).map(([path]) => path)).toEqual([]);
  expect(entries.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual([]);
});
