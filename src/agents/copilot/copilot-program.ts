// Copilot's program: where it is, with which environment it runs, and whether it could log in.

import { messageOf } from "../../lib/errors.ts";
import type { BackendReport } from "../port.ts";
import { programEnvironment, type BackendHost } from "../process/backend-host.ts";
import { findProgram, type FoundProgram } from "../process/find-program.ts";
import { programVersion, requireVersion } from "../process/program-version.ts";
import { parseModelSettings, type ModelSettings } from "./provider-settings.ts";

/** The oldest version that the suite in tests/agents was seen to pass with. */
const oldestVersion = "1.0.102";
const install = "npm install -g @github/copilot";

export function findCopilot(host: BackendHost, cwd: string): FoundProgram {
  const file = process.platform === "win32" ? "copilot.exe" : "copilot";
  const systems = process.platform === "linux" ? ["linux", "linuxmusl"] : [process.platform];
  return findProgram({
    name: "copilot",
    setting: host.programs["copilot"],
    settingName: "agents.copilot.path",
    packageFiles: systems.map((system) => `@github/copilot-${system}-${process.arch}/${file}`),
    packagesFrom: host.packagesFrom,
    searchPath: host.environment.user["PATH"],
    cwd,
    install,
  });
}

export function copilotEnvironment(host: BackendHost, isTrusted: boolean): Record<string, string> {
  return programEnvironment(host, {
    // Besides approving tools, which we do anyway, exactly "true" makes the program trust the folders it works in; else
    // it would start a project's MCP servers only after a question that no user sees. Empty removes it from the user's
    // environment where the project is not trusted.
    COPILOT_ALLOW_ALL: isTrusted ? "true" : "",
  });
}

/** Throws AGENT_UNAVAILABLE when the user's variables make no sense. */
export function modelSettings(host: BackendHost): ModelSettings {
  return parseModelSettings(programEnvironment(host, {}));
}

export function requireCopilotVersion(path: string, version: string): void {
  requireVersion({ name: "GitHub Copilot CLI", path, version, minimum: oldestVersion, install });
}

/** For `doctor`. Starts the program for its version and its login; sends nothing to a model. */
export async function checkCopilot(
  host: BackendHost,
  cwd: string,
  isLoggedIn: () => Promise<boolean>,
): Promise<BackendReport> {
  let program: FoundProgram | undefined;
  let version: string | undefined;
  try {
    program = findCopilot(host, cwd);
    version = await programVersion(program.path, { env: programEnvironment(host, {}), cwd });
    requireCopilotVersion(program.path, version);
    const found = { ...program, version };
    if (modelSettings(host).provider !== undefined)
      return { kind: "copilot", isUsable: true, program: found, login: "not-needed", notes: [] };
    const hasLogin = await isLoggedIn();
    return {
      kind: "copilot",
      isUsable: true,
      program: found,
      login: hasLogin ? "ok" : "missing",
      notes: hasLogin ? [] : ["Copilot is not logged in. Run `copilot login`."],
    };
  } catch (thrown) {
    return {
      kind: "copilot",
      isUsable: false,
      ...(program !== undefined && { program: { ...program, version } }),
      login: "unknown",
      notes: [messageOf(thrown)],
    };
  }
}
