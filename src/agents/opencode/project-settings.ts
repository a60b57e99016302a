// Settings that a project brings for OpenCode. It imports a project's plugins although OPENCODE_DISABLE_PROJECT_CONFIG
// is set (seen with 1.18.18; anomalyco/opencode#49836), and takes packages to install and repositories to clone from
// its opencode.json. So an untrusted project that has any of it gets no session: docs/decisions/035.

import { isSystemError } from "../../lib/atomic-file.ts";
import { realOrSame } from "../../lib/real-path.ts";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AtomicError } from "../../lib/errors.ts";

const files = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
const codeFolders = [".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools"];

/** Throws AGENT_NEEDS_TRUST when OpenCode would follow settings of the project. `home` is the user's. */
export function refuseProjectSettings(cwd: string, home: string): void {
  const found = findProjectSettings(cwd, home) ?? findProjectSettings(realOrSame(cwd), realOrSame(home));
  if (found === undefined) return;
  throw new AtomicError(
    "AGENT_NEEDS_TRUST",
    `The project has its own settings for OpenCode (${found}), and OpenCode loads a project's plugins even if they are disabled. Trust the project, remove those settings, or use another agent.`,
    { details: { agent: "opencode", file: found } },
  );
}

/**
 * OpenCode looks in every folder from the working folder up. What is in the user's home, or above, is not the
 * project's.
 */
function findProjectSettings(cwd: string, home: string): string | undefined {
  for (let folder = resolve(cwd); folder !== resolve(home); folder = dirname(folder)) {
    const found =
      files.map((name) => join(folder, name)).find((path) => existsSync(path)) ??
      codeFolders.map((name) => join(folder, name)).find((path) => holdsSomething(path));
    if (found !== undefined) return found;
    if (folder === dirname(folder)) return undefined;
  }
  return undefined;
}

function holdsSomething(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}
