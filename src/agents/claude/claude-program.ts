// Claude's program: where it is, which version, with which environment it runs, and whether it could log in.

import { messageOf } from "../../lib/errors.ts";
import type { BackendReport } from "../port.ts";
import { programEnvironment, type BackendHost } from "../process/backend-host.ts";
import { findProgram, type FoundProgram } from "../process/find-program.ts";
import { programVersion, requireVersion } from "../process/program-version.ts";
import { runBriefly } from "../process/run-briefly.ts";

/** Its platform packages hold the program. */
const sdkPackage = "@anthropic-ai/claude-agent-sdk";
const installClaude = "npm install -g @anthropic-ai/claude-code";
/** The oldest version that the suite in tests/agents was seen to pass with. */
const oldestVersion = "2.1.300";

export function findClaude(host: BackendHost, cwd: string): FoundProgram {
  const file = process.platform === "win32" ? "claude.exe" : "claude";
  const platform = `${sdkPackage}-${process.platform}-${process.arch}`;
  const files = [`${platform}/${file}`, `${platform}-musl/${file}`];
  return findProgram({
    name: "claude",
    setting: host.programs["claude"],
    settingName: "agents.claude.path",
    // Installed for all programs, a package keeps what it needs inside itself.
    packageFiles: [...files, ...files.map((path) => `${sdkPackage}/node_modules/${path}`)],
    packagesFrom: host.packagesFrom,
    searchPath: host.environment.user["PATH"],
    cwd,
    install: installClaude,
  });
}

export function claudeEnvironment(host: BackendHost): Record<string, string> {
  return programEnvironment(host, {
    // Says when all work of a turn is over, that of background sub-agents included.
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
    // A refusal to start comes as a result with a text, not only as an exit code.
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: "1",
    // As root the program runs tools without asking only if this variable says it is contained.
    ...(process.getuid?.() === 0 && { IS_SANDBOX: "1" }),
  });
}

/** Throws AGENT_UNAVAILABLE when the program says nothing sensible or is too old. */
export async function checkClaudeVersion(host: BackendHost, program: FoundProgram, cwd: string): Promise<string> {
  const version = await programVersion(program.path, { env: claudeEnvironment(host), cwd, limitMs: 10_000 });
  requireVersion({ name: "Claude Code", path: program.path, version, minimum: oldestVersion, install: installClaude });
  return version;
}

/** For `doctor`. Starts the program for its version and its login; sends nothing to a model. */
export async function checkClaude(host: BackendHost, cwd: string): Promise<BackendReport> {
  const notes: string[] = [];
  const report = (facts: Partial<BackendReport>): BackendReport => ({
    kind: "claude",
    isUsable: false,
    login: "unknown",
    notes,
    ...facts,
  });
  let program: FoundProgram;
  try {
    program = findClaude(host, cwd);
  } catch (thrown) {
    notes.push(messageOf(thrown));
    return report({});
  }
  try {
    const version = await checkClaudeVersion(host, program, cwd);
    const login = await claudeLogin(host, program, cwd);
    if (login === "missing")
      notes.push("Claude is not logged in. Run `claude` and type /login, or set ANTHROPIC_API_KEY.");
    return report({ isUsable: true, program: { ...program, version }, login, notes });
  } catch (thrown) {
    notes.push(messageOf(thrown));
    return report({ program: { ...program, version: undefined } });
  }
}

async function claudeLogin(host: BackendHost, program: FoundProgram, cwd: string): Promise<BackendReport["login"]> {
  const env = claudeEnvironment(host);
  const { stdout } = await runBriefly(program.path, ["auth", "status", "--json"], { cwd, env, limitMs: 20_000 });
  const isLoggedIn = /"loggedIn":\s*(true|false)/.exec(stdout)?.[1];
  return isLoggedIn === undefined ? "unknown" : isLoggedIn === "true" ? "ok" : "missing";
}
