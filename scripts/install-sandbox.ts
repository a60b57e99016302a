// Sets up a sandbox for the tests that need one, where that needs no interaction: installs bubblewrap with the system's
// package manager, and on a CI machine allows it user namespaces. Reports what it can't do; the tests decide what that
// means (tests/support/require-sandbox.ts).

import { existsSync } from "node:fs";
import { checkSandbox } from "../src/agents/process/sandbox/check-sandbox.ts";
import { runCommand } from "./run-command.ts";

const restriction = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";

export async function installSandbox(): Promise<void> {
  if (process.platform !== "linux" || (await problem()) === undefined) return;
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  if (Bun.which("bwrap") === null && Bun.which("apt-get") !== null) {
    console.log("Installing bubblewrap …");
    await attempt([...asRoot, "apt-get", "install", "-y", "--no-install-recommends", "bubblewrap"]);
    if (Bun.which("bwrap") === null) {
      await attempt([...asRoot, "apt-get", "update"]);
      await attempt([...asRoot, "apt-get", "install", "-y", "--no-install-recommends", "bubblewrap"]);
    }
  }
  // Ubuntu denies user namespaces to programs without a profile. Only a disposable machine is changed.
  if (process.env["CI"] === "true" && existsSync(restriction) && (await problem()) !== undefined)
    await attempt([...asRoot, "sysctl", "-w", "kernel.apparmor_restrict_unprivileged_userns=0"]);
  const left = await problem();
  if (left !== undefined) console.error(`There is no sandbox on this machine: ${left}`);
}

async function problem(): Promise<string | undefined> {
  return (await checkSandbox("strict", { environment: process.env, cwd: "/" })).problem;
}

async function attempt(command: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand(command, { cwd: "/", timeoutMs: 300_000 });
  if (exitCode !== 0) console.error(`${command.join(" ")}: exit ${exitCode}. ${stderr.trim().slice(-300)}`);
}

if (import.meta.main) await installSandbox();
