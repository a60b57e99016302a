// Installs the library without the program's runtime, as a service on Node does. It must be small and work, and the
// program, which then has no Bun, must say how to get it.

import { cpSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun, runCommand } from "../run-command.ts";
import { environment, npmInstall, projectRoot, type Packed } from "./packed.ts";

const maxMegabytes = 15;

export async function checkSmallInstall({ temp, tarball }: Packed): Promise<string> {
  const folder = join(temp, "small");
  await npmInstall(folder, tarball, ["--omit=optional"]);
  if (existsSync(join(folder, "node_modules/@oven"))) throw new Error("npm --omit=optional installed Bun.");
  const megabytes = blocksIn(join(folder, "node_modules")) / 2048;
  if (megabytes > maxMegabytes) {
    throw new Error(`The library takes ${megabytes.toFixed(1)} MB on disk; the limit is ${maxMegabytes}.`);
  }
  cpSync(join(projectRoot, "scripts/package-consumer/run.js"), join(folder, "run.js"));
  await mustRun(["node", "run.js"], { cwd: folder, env: environment });

  const { exitCode, stderr } = await runCommand([join(folder, "node_modules/.bin/atomic"), "--version"], {
    cwd: folder,
    env: environment,
  });
  if (exitCode !== 1 || !/Bun, which runs this program, was not installed[^]*npm install @oven\/bun-/.test(stderr)) {
    throw new Error(`Without Bun, the program ended with ${exitCode} and said:\n${stderr}`);
  }
  return `the library without Bun takes ${megabytes.toFixed(1)} MB; the program says what is missing`;
}

/** Its size on disk, in blocks of 512 bytes. */
function blocksIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(folder, name)).blocks)
    .reduce((sum, blocks) => sum + blocks, 0);
}
