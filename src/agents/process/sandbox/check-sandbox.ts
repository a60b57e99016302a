// Whether a sandbox can be made on this machine: it is tried, not guessed. What is missing is reported in one sentence
// with how to install it.

import { existsSync, readFileSync } from "node:fs";
import { systemCode } from "../../../lib/atomic-file.ts";
import { findOnPath } from "../find-program.ts";
import { runBriefly } from "../run-briefly.ts";
import { bubblewrapProbe } from "./bubblewrap.ts";
import type { SandboxMode } from "../../../lib/sandbox-mode.ts";

export type SandboxCheck =
  | { readonly tool: SandboxTool; readonly problem?: undefined }
  /** A sentence: what is missing, and how to get it. */
  | { readonly tool?: undefined; readonly problem: string };

export interface SandboxTool {
  readonly name: "bubblewrap" | "sandbox-exec";
  readonly path: string;
  readonly version: string | undefined;
}

export interface SandboxCheckOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that is worked in: no program is taken from it. */
  readonly cwd: string;
  readonly platform?: NodeJS.Platform | undefined;
}

const limitMs = 10_000;
const seatbeltPath = "/usr/bin/sandbox-exec";

export async function checkSandbox(
  mode: Exclude<SandboxMode, "off">,
  options: SandboxCheckOptions,
): Promise<SandboxCheck> {
  const { platform = process.platform } = options;
  if (platform === "linux") return checkBubblewrap(mode, options);
  if (platform === "darwin") return checkSeatbelt();
  return {
    problem: `There is no sandbox for ${platform === "win32" ? "Windows" : platform}: run in a container or in WSL 2.`,
  };
}

async function checkBubblewrap(mode: SandboxMode, { environment, cwd }: SandboxCheckOptions): Promise<SandboxCheck> {
  const path = findOnPath({ name: "bwrap", searchPath: environment["PATH"], cwd });
  if (path === undefined) return { problem: `bubblewrap is not installed: install it with \`${installCommand()}\`.` };
  const run = { cwd: "/", env: { PATH: environment["PATH"] ?? "" }, limitMs };
  const [probe, version] = await Promise.all([
    runBriefly(path, bubblewrapProbe(mode === "strict"), run),
    runBriefly(path, ["--version"], run),
  ]);
  if (probe.exitCode === 0) return { tool: { name: "bubblewrap", path, version: versionIn(version.stdout) } };
  const said = (probe.stderr.trim() || probe.problem || `exit code ${probe.exitCode}`).split("\n")[0] ?? "";
  return { problem: `bubblewrap (${path}) can't make a sandbox here (${said}): ${advice(said)}.` };
}

function checkSeatbelt(): SandboxCheck {
  if (existsSync(seatbeltPath)) return { tool: { name: "sandbox-exec", path: seatbeltPath, version: undefined } };
  return { problem: `${seatbeltPath} is missing, which is a part of macOS: run in a container instead.` };
}

const installers: readonly (readonly [system: RegExp, command: string])[] = [
  [/debian|ubuntu/, "sudo apt-get install bubblewrap"],
  [/fedora|rhel|centos/, "sudo dnf install bubblewrap"],
  [/arch/, "sudo pacman -S bubblewrap"],
  [/alpine/, "sudo apk add bubblewrap"],
  [/suse/, "sudo zypper install bubblewrap"],
  [/nixos/, "nix profile install nixpkgs#bubblewrap"],
];

/** `system`: what /etc/os-release says. */
export function installCommand(system: string = readRelease()): string {
  const ids = [...system.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].map(([, id]) => id).join(" ");
  const found = installers.find(([pattern]) => pattern.test(ids));
  return found?.[1] ?? "your system's package manager, package bubblewrap";
}

function advice(said: string): string {
  if (/mount proc|\/proc/i.test(said))
    return "start the container that this runs in with --security-opt systempaths=unconfined, or leave --sandbox out";
  if (existsSync("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"))
    return "allow it user namespaces, with an AppArmor profile for bwrap or `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`";
  return "allow user namespaces, on some systems with `sudo sysctl -w kernel.unprivileged_userns_clone=1`, in Docker with --security-opt seccomp=unconfined";
}

function versionIn(text: string): string | undefined {
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0];
}

function readRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return "";
  }
}
