// The engine runs on plain Node: bundled as the package is, without Bun.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { runCommand } from "../../scripts/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "atomic-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the engine does what it promises under the Node that is installed", async () => {
  const program = join(folder, "engine-program.mjs");
  await build({
    entryPoints: [join(import.meta.dir, "engine-program.ts")],
    outfile: program,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "node",
    external: ["bun:*"],
    logLevel: "warning",
  });
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder };

  const { exitCode, stdout, stderr } = await runCommand(["node", program], { cwd: folder, env, timeoutMs: 15_000 });

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.at(-1)).toMatch(new RegExp(`^${lines.length - 1} cases on Node (2\\d|[3-9]\\d)\\.`));
});

test("the engine by itself imports no package and no module of a runtime until it needs one", async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dir, "../../src/public/graph.ts")],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*", "bun:*"],
    packages: "external",
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  const entry = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint !== undefined);
  const atOnce = (entry?.[1].imports ?? []).filter(
    ({ kind, external }) => external === true && kind === "import-statement",
  );

  expect(atOnce.map(({ path }) => path)).toEqual([]);
  expect(Object.keys(metafile.inputs).length).toBeGreaterThan(30);
});
