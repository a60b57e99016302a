// Run after the lock file of this folder was written anew. Adds the packages of other platforms that npm left out
// because it could not find them at that moment: without their entries `npm ci` refuses the lock file on every machine
// (docs/decisions/006-lock-file.md). They carry a version and a platform but no checksum; Linux, where CI runs, has all.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const file = join(import.meta.dir, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };
const added: string[] = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] !== undefined) continue;
    const os = /darwin/.test(name) ? "darwin" : /win(?:32|dows)/.test(name) ? "win32" : "linux";
    const cpu = name.includes("arm64") ? "arm64" : "x64";
    lock.packages[place] = { version, optional: true, os: [os], cpu: [cpu] };
    added.push(`${name}@${version}`);
  }
}
const byPlace = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(byPlace) }, undefined, 2)}\n`);
process.stdout.write(added.length === 0 ? "Nothing was missing.\n" : `Added ${added.join(", ")}\n`);
