// Runs the journal contract under Node: `scripts/bun scripts/journal-on-node.ts [NODE …]`, where NODE is the path of a
// Node program (default: the one that is installed). The files' stores run on every Node, SQLite from 22.5 on; below
// that it must refuse with SQLITE_UNAVAILABLE.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./bundle.ts";

const root = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "atomic-on-node-"));
const program = join(folder, "journal-program.js");
const environment = { HOME: folder, PATH: process.env["PATH"] ?? "", TMPDIR: folder };
let isGood = true;

try {
  const source = join(root, "src/testing/journal-harnesses/journal-program.ts");
  await bundle({ entries: { "journal-program": source }, folder, packages: "bundled" });
  const given = process.argv.slice(2);
  for (const node of given.length > 0 ? given : ["node"]) {
    const version = run(node, "--version").output.trim();
    for (const kind of ["memory", "file", "session", "research", "sqlite"]) {
      if (kind === "sqlite" && !hasSqlite(version)) {
        const { output } = run(node, program, "child", "sqlite", folder, '{"do":"idle","run":"run"}');
        isGood &&= output.startsWith('{"refused":"SQLITE_UNAVAILABLE"');
        console.log(`${version} sqlite: ${output.trim()}`);
        continue;
      }
      const { success, output } = run(node, program, "contract", kind);
      const passed = output.match(/^ok /gm)?.length ?? 0;
      isGood &&= success && passed > 0;
      console.log(`${version} ${kind}: ${passed} cases passed`);
      if (!success) console.log(output);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isGood ? 0 : 1;

function hasSqlite(version: string): boolean {
  const [major = 0, minor = 0] = version.replace("v", "").split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

function run(...command: string[]): { success: boolean; output: string } {
  const { success, stdout, stderr } = Bun.spawnSync(command, { env: environment, stderr: "pipe" });
  return { success, output: `${stdout.toString()}${stderr.toString()}` };
}
