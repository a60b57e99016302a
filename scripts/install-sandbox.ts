// Sets up a sandbox for the tests that need one, where that needs no interaction: installs bubblewrap with the system's
// package manager, and on a CI machine allows it user namespaces. Reports what it can't do; the tests decide what that
// means (tests/support/require-sandbox.ts).

import { existsSync } from "node:fs";
import { checkSandbox } from "../src/agents/process/sandbox/check-sandbox.ts";
import { asRoot, installSystemPackage } from "./install-system-package.ts";

const restriction = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";

export async function installSandbox(): Promise<void> {
  if (process.platform !== "linux" || (await problem()) === undefined) return;
  await installSystemPackage("bubblewrap", "bwrap");
  // Ubuntu denies user namespaces to programs without a profile. Only a disposable machine is changed.
  if (process.env["CI"] === "true" && existsSync(restriction) && (await problem()) !== undefined)
    await asRoot(["sysctl", "-w", "kernel.apparmor_restrict_unprivileged_userns=0"]);
  const left = await problem();
  if (left !== undefined) console.error(`There is no sandbox on this machine: ${left}`);
}

async function problem(): Promise<string | undefined> {
  return (await checkSandbox("strict", { environment: process.env, cwd: "/" })).problem;
}

if (import.meta.main) await installSandbox();
