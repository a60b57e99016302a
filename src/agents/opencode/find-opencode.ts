// Where OpenCode is on this machine.

import type { BackendHost } from "../process/backend-host.ts";
import { findProgram, type FoundProgram } from "../process/find-program.ts";

/** The oldest that this backend was seen to work with. */
export const minimumVersion = "1.18.18";
export const install = "npm install -g opencode-ai";

const platforms: Partial<Record<NodeJS.Platform, string>> = { darwin: "darwin", linux: "linux", win32: "windows" };

/** The program itself, not the npm package's launcher, which would stand between it and our signals. */
export function findOpencode(host: BackendHost, cwd: string): FoundProgram {
  const platform = `opencode-${platforms[process.platform] ?? process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "opencode.exe" : "opencode";
  const variants = ["", "-baseline", "-musl", "-baseline-musl"];
  return findProgram({
    name: "opencode",
    setting: host.programs["opencode"],
    settingName: "agents.opencode.path",
    packageFiles: variants.map((variant) => `${platform}${variant}/bin/${file}`),
    packagesFrom: host.packagesFrom,
    searchPath: host.environment.user["PATH"],
    cwd,
    install,
  });
}
