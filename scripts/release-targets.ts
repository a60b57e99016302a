// The platforms that a release has a single file for. docs/platforms.md lists them for readers; a test compares the
// two.

import { existsSync, readdirSync } from "node:fs";

export interface ReleaseTarget {
  /** Its part of the file's name: `linux-x64`, `darwin-arm64`, `linux-x64-musl`. */
  readonly name: string;
  /** What `bun build --target` calls it. */
  readonly bunTarget: string;
  /** The npm package that holds Bun for it. */
  readonly bunPackage: string;
  /** Whether this machine is such a platform. */
  readonly isHost: boolean;
}

const names = ["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl", "darwin-x64", "darwin-arm64"] as const;

/** Alpine and other systems without glibc have this loader and no other. */
const isMuslHost =
  process.platform === "linux" && existsSync("/lib") && readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
const host = `${process.platform}-${process.arch}${isMuslHost ? "-musl" : ""}`;

export const releaseTargets: readonly ReleaseTarget[] = names.map((name) => ({
  name,
  // The x64 builds are the baseline ones: they also run on processors without AVX2.
  bunTarget: `bun-${name.replace("x64", "x64-baseline")}`,
  bunPackage: `@oven/bun-${bunPlatform(name)}`,
  isHost: name === host,
}));

export function targetNamed(name: string): ReleaseTarget {
  const target = releaseTargets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`Unknown target "${name}". The targets are: ${names.join(", ")}.`);
  return target;
}

/** npm's names: `linux-x64-musl-baseline`, `darwin-aarch64`. */
function bunPlatform(name: string): string {
  const platform = name.replace("arm64", "aarch64");
  return name.includes("x64") ? `${platform}-baseline` : platform;
}
