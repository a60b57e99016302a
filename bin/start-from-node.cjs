// What bin/atomic does when Node runs it instead of the shell (Yarn Plug'n'Play does that): starts the program on the
// Bun that was installed with it, passes signals on, and ends as it ended. tests/launcher.test.ts compares the two ways.

"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");

const { optionalDependencies } = require("../package.json");
const root = onDisk(dirname(__dirname));
const isClone = existsSync(join(root, "src/main.ts"));
const main = isClone ? join(root, "src/main.ts") : join(root, "dist/program/main.js");

const name = `@oven/bun-${platform()}`;
const bun = findBun();
if (bun === undefined) fail(explainMissingBun());
if (!existsSync(main)) fail(`${root} holds neither src/main.ts nor dist/program/main.js. Install the package again.`);
if (bun !== undefined) start(bun);

/** Plug'n'Play gives a package with peers a path that only Node understands. */
function onDisk(path) {
  return (process.versions.pnp && require("pnpapi").resolveVirtual(path)) || path;
}

function platform() {
  const system = { win32: "windows", android: "linux" }[process.platform] || process.platform;
  const machine = process.arch === "arm64" ? "aarch64" : process.arch;
  const libc = process.platform === "android" ? "-android" : process.platform === "linux" && isMusl() ? "-musl" : "";
  return `${system}-${machine}${libc}`;
}

function isMusl() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function findBun() {
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
  return join(onDisk(dirname(manifest)), "bin", process.platform === "win32" ? "bun.exe" : "bun");
}

function explainMissingBun() {
  if (isClone) return `Bun is not installed in ${root}. Run \`npm ci\` there.`;
  const version = optionalDependencies[name];
  return [
    "Bun, which runs this program, was not installed with it.",
    "An install that leaves optional packages out leaves out Bun.",
    version === undefined
      ? `There is no Bun for this platform (${platform()}).`
      : `Install the package again with its optional packages, or add the one for this machine: ${name}@${version}`,
    "Only the program needs Bun. The library, atomic/workflows, also runs on Node.",
  ].join("\n");
}

function fail(text) {
  process.stderr.write(`atomic: ${text}\n`);
  process.exit(1);
}

function start(file) {
  const ours = [`--config=${join(root, "bin/bunfig.toml")}`, `--tsconfig-override=${join(root, "bin/tsconfig.json")}`];
  const args = [...ours, "--no-env-file", "--no-macros", "--no-install", main, ...process.argv.slice(2)];
  // A terminal sends these to the program as well. Passed on, they would arrive twice, and a second Ctrl+C means "now".
  const isInTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  // Before the program starts: a signal in between would end this process and leave the program running.
  for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM"]) {
    process.on(signal, () => (isInTerminal && signal !== "SIGTERM") || child.kill(signal));
  }
  const child = spawn(file, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`${file} can't be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
