// Installs a package of the system for tests that need one, where that needs no interaction. Reports what it can't do;
// the tests decide what that means.

import { runCommand } from "./run-command.ts";

export async function installSystemPackage(name: string, program: string): Promise<void> {
  if (Bun.which(program) !== null || Bun.which("apt-get") === null) return;
  console.log(`Installing ${name} …`);
  const install = ["apt-get", "install", "-y", "--no-install-recommends", name];
  await asRoot(install);
  if (Bun.which(program) !== null) return;
  await asRoot(["apt-get", "update"]);
  await asRoot(install);
}

export async function asRoot(words: readonly string[]): Promise<void> {
  const command = [...(process.getuid?.() === 0 ? [] : ["sudo", "-n"]), ...words];
  const { exitCode, stderr } = await runCommand(command, { cwd: "/", timeoutMs: 300_000 });
  if (exitCode !== 0) console.error(`${command.join(" ")}: exit ${exitCode}. ${stderr.trim().slice(-300)}`);
}

if (import.meta.main) {
  const [name = "", program = name] = process.argv.slice(2);
  await installSystemPackage(name, program);
}
