import { expect, test } from "bun:test";
import { compareVersions, parseVersion, type Version } from "./versions.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`not a version: ${text}`);
  return parsed;
}

test("compareVersions orders versions as semver does", () => {
  const ordered = ["0.4.19", "0.5.0-alpha", "0.5.0-alpha.1", "0.5.0-alpha.beta", "0.5.0-beta.2", "0.5.0-beta.11"];
  ordered.push("0.5.0", "0.10.0", "1.0.0", "10.0.0");
  const shuffled = ordered.toReversed().toSorted((a, b) => compareVersions(version(a), version(b)));
  expect(shuffled).toEqual(ordered);
});

test("compareVersions takes build metadata and a leading v for the same release", () => {
  expect(compareVersions(version("v1.2.3+build.5"), version("1.2.3"))).toBe(0);
});

for (const bad of ["", "1", "1.2", "^1.2.3", "1.2.x", "latest", "1.2.3.4", "99999999999.0.0"]) {
  test(`parseVersion refuses ${JSON.stringify(bad)}`, () => {
    expect(parseVersion(bad)).toBeUndefined();
  });
}
