// The engine runs on plain Node: bundled as the package is, without Bun.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../scripts/bundle.ts";
import { runCommand } from "../../scripts/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "atomic-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the engine does what it promises under the Node that is installed", async () => {
  const source = join(import.meta.dir, "engine-program.ts");
  await bundle({ entries: { "engine-program": source }, folder, packages: "bundled" });
  const program = join(folder, "engine-program.js");
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder };

  const { exitCode, stdout, stderr } = await runCommand(["node", program], { cwd: folder, env, timeoutMs: 15_000 });

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.at(-1)).toMatch(new RegExp(`^${lines.length - 1} cases on Node (2\\d|[3-9]\\d)\\.`));
});

test("the engine by itself imports no package and no module of a runtime, now or later", async () => {
  const source = join(import.meta.dir, "../../src/public/graph.ts");
  const chunks = await bundle({ entries: { graph: source }, folder: join(folder, "graph") });
  const names = new Set(chunks.map((chunk) => chunk.fileName));
  const reached = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);

  expect(reached.filter((name) => !names.has(name))).toEqual([]);
  expect(chunks.flatMap((chunk) => chunk.moduleIds).length).toBeGreaterThan(30);
});
