// Bundles the packed library: for Node into one file that needs no node_modules, and for browsers and edge runtimes
// without Node's modules, run in an empty context and on Deno.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run-command.ts";
import { environment, projectRoot, type Packed } from "./packed.ts";
import { esbuild, findDeno } from "./tools.ts";

const expectedReport = `chain: 64
steps: add double double double double double
retried: 3
wait: paused, then completed with 3
checkpoints: RUNTIME_MISSING
task files: RUNTIME_MISSING
agents: RUNTIME_MISSING`;

export async function checkBundles(packed: Packed): Promise<string> {
  for (const name of ["on-node.js", "anywhere.js", "in-empty-context.cjs"]) {
    cpSync(join(projectRoot, "scripts/package-consumer", name), join(packed.consumer, name));
  }
  const lines = [await checkForNode(packed), await checkForBrowsers(packed), await checkOnDeno(packed)];
  return lines.join("\n");
}

async function checkForNode({ consumer, temp }: Packed): Promise<string> {
  const runtimes = { Node: ["node"], Bun: [process.execPath, "--no-env-file", "--no-install"] };
  const bundlers = {
    esbuild: (outfile: string) =>
      withEsbuild("on-node.js", ["--platform=node", "--format=esm", `--outfile=${outfile}`]),
    "esbuild --minify": (outfile: string) =>
      withEsbuild("on-node.js", ["--platform=node", "--format=esm", "--minify", `--outfile=${outfile}`]),
    // Drops more of what is marked as free of side effects.
    "bun build": (outfile: string) => [
      process.execPath,
      "build",
      "on-node.js",
      "--target=node",
      `--outfile=${outfile}`,
    ],
  };
  const results: string[] = [];
  for (const [name, command] of Object.entries(bundlers)) {
    const folder = join(temp, `on-node ${name}`);
    const outfile = join(folder, "program.mjs");
    mkdirSync(folder);
    await mustRun(command(outfile), { cwd: consumer, env: environment });
    for (const [runtime, start] of Object.entries(runtimes)) {
      const cwd = join(folder, runtime);
      mkdirSync(cwd);
      results.push(`${runtime}: ${(await mustRun([...start, outfile], { cwd, env: environment })).trim()}`);
    }
  }
  return `bundled for Node with ${Object.keys(bundlers).join(", ")}: ${[...new Set(results)].join(", ")}`;
}

async function checkForBrowsers({ consumer, temp }: Packed): Promise<string> {
  // A browser, an edge runtime, and a bundler without options.
  const kinds = [["--platform=browser"], ["--platform=neutral", "--conditions=workerd"], ["--platform=neutral"]];
  for (const [index, flags] of kinds.entries()) {
    const outfile = join(temp, `anywhere-${index}.js`);
    const command = withEsbuild("anywhere.js", [...flags, "--format=iife", `--outfile=${outfile}`]);
    await mustRun(command, { cwd: consumer, env: environment });
    const report = await mustRun(["node", "in-empty-context.cjs", outfile], { cwd: consumer, env: environment });
    compareReport(report, `bundled with ${flags.join(" ")} in an empty context`);
  }
  return "bundled for browsers and edge runtimes: runs in an empty context";
}

async function checkOnDeno({ consumer, temp }: Packed): Promise<string> {
  const deno = findDeno();
  if (deno === undefined) return "on Deno: not tried, no build for this platform";
  const env = { ...environment, DENO_DIR: join(temp, "deno"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  const run = (flags: readonly string[], file: string): Promise<string> =>
    mustRun([deno, "run", "--quiet", "--no-prompt", "--no-remote", "--cached-only", ...flags, file], {
      cwd: consumer,
      env,
    });
  // The bundle of the edge runtime, with no permission at all.
  const edge = join(temp, "edge.js");
  writeFileSync(edge, `${readFileSync(join(temp, "anywhere-1.js"), "utf8")}\nconsole.log(await engineReport);\n`);
  compareReport(await run([], edge), "bundled for edge runtimes, on Deno");
  // The installed package, which has files here.
  const installed = ["--node-modules-dir=manual", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];
  await run(installed, "on-node.js");
  return "on Deno: the bundle runs without permissions, and the installed package with files";
}

function withEsbuild(file: string, flags: readonly string[]): readonly string[] {
  return [...esbuild, file, "--bundle", "--log-level=warning", "--target=es2022", ...flags];
}

function compareReport(report: string, where: string): void {
  if (report.trim() === expectedReport) return;
  throw new Error(`The engine, ${where}, must report:\n${expectedReport}\nbut reported:\n${report}`);
}
