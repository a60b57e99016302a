// Checks everything that a run would need and reports what is wrong. Reads, and asks the agents' programs for
// their version and login; runs nothing of the project and sends nothing to a model.

import { counted } from "../lib/counted.ts";
import { maskUrl } from "../lib/mask-url.ts";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BackendReport } from "../agents/port.ts";
import { parseAgentOrder } from "./agents.ts";
import { isSystemError, keepsModes } from "../lib/atomic-file.ts";
import { messageOf } from "../lib/errors.ts";
import { version } from "../lib/version.ts";
import { keepingIn } from "../workflows/sessions/session-keeping.ts";
import { Git } from "../workflows/git/git.ts";
import { readTreeRecords } from "../workflows/worktrees/tree-records.ts";
import { sessionsDir } from "./sessions-dir.ts";
import { trustOverview } from "./trust.ts";
import type { Workspace } from "./workspace.ts";

export interface DoctorCheck {
  readonly name: string;
  readonly status: "ok" | "warning" | "error";
  readonly text: string;
  /** More, one line each. */
  readonly notes: readonly string[];
}

export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
  readonly agents: readonly BackendReport[];
}

export async function runDoctor(workspace: Workspace): Promise<DoctorReport> {
  const { checkAgents } = workspace.parts;
  // The programs are slow to answer: they are queried while the rest is checked.
  const asked = checkAgents().catch((thrown: unknown) => messageOf(thrown));
  const checks = [
    program(),
    home(workspace),
    runs(workspace),
    settings(workspace),
    project(workspace),
    trust(workspace),
    await trees(workspace),
    await sandbox(workspace),
  ];
  const agents = await asked;
  if (typeof agents === "string") {
    return { checks: [...checks, check("agents", "error", "Could not look for agents.", [agents])], agents: [] };
  }
  const chosen = parseAgentOrder(workspace.settings.text("agent") ?? "claude");
  return { checks: [...checks, ...agents.map((agent) => agentCheck(agent, chosen.includes(agent.kind)))], agents };
}

function check(name: string, status: DoctorCheck["status"], text: string, notes: readonly string[] = []): DoctorCheck {
  return { name, status, text, notes };
}

function program(): DoctorCheck {
  return check("atomic", "ok", `${version} on Bun ${Bun.version}, ${process.platform} ${process.arch}`);
}

function home({ parts }: Workspace): DoctorCheck {
  const { atomicHome } = parts.folders;
  const place = existsSync(atomicHome) ? atomicHome : dirname(atomicHome);
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    const isNew = place !== atomicHome;
    const text = isNew ? `${atomicHome} (made when it is first needed)` : atomicHome;
    if (keepsModes(place)) return check("home", "ok", text);
    return check("home", "warning", text, [
      "Its file system keeps no file modes: other users of this machine may be able to read and change what is kept there.",
    ]);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return check("home", "error", `${atomicHome} can't be written.`, [
      "Runs, trust and settings are kept there. Make it writable, or set ATOMIC_HOME to another folder.",
    ]);
  }
}

function runs({ settings: found, parts }: Workspace): DoctorCheck {
  const url = found.text("store");
  if (url !== undefined)
    return check("runs", "ok", maskUrl(url), [`Files of runs on this machine: ${sessionsDir(found, parts)}`]);
  const dir = sessionsDir(found, parts);
  const { mode, fileSystem } = keepingIn(dir);
  if (mode === "wal") return check("runs", "ok", dir);
  return check("runs", "ok", dir, [
    `Kept with a rollback journal: the file system there (${fileSystem}) can't be relied on for a write-ahead log. Runs are as safe, and a little slower.`,
  ]);
}

function settings({ settings: found }: Workspace): DoctorCheck {
  const notes = found.problems.map(({ at, message }) => `${at}: ${message}`);
  if (found.problems.some((each) => each.severity === "error")) {
    return check("settings", "error", "Invalid, so nothing runs. Fix them first.", notes);
  }
  return check(
    "settings",
    notes.length > 0 ? "warning" : "ok",
    notes.length > 0 ? "Some are ignored." : "No problems.",
    notes,
  );
}

function project({ catalog }: Workspace): DoctorCheck {
  const { workflows, agents, skills, commands, tools, diagnostics } = catalog;
  const counts = [
    [workflows.length, "workflow"],
    [agents.length, "agent"],
    [skills.length, "skill"],
    [commands.length, "command"],
    [tools.length, "tool"],
  ] as const;
  const text = counts.map(([count, what]) => counted(count, what)).join(", ");
  const notable = diagnostics.filter((each) => each.severity !== "info");
  const notes = notable.map(({ file, line, message }) => {
    const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
    return `${place}${message}`;
  });
  return check("files", notes.length > 0 ? "warning" : "ok", text, notes);
}

function trust(workspace: Workspace): DoctorCheck {
  const { questions, trusted, problems, storeProblem } = trustOverview(workspace);
  if (storeProblem !== undefined) return check("trust", "error", "Nothing is trusted.", [storeProblem]);
  const waiting = questions.filter(({ kind, files }) => kind !== "project" || files.length > 0);
  const notes = [
    ...waiting.map(({ name, reason }) => `${name} ${reason === "new" ? "was never trusted" : "has changed"}`),
    ...problems.map(({ name, message }) => `${name}: ${message}`),
  ];
  const text = `${trusted.length} trusted, ${waiting.length} waiting for \`atomic trust\``;
  return check("trust", problems.length > 0 || waiting.length > 0 ? "warning" : "ok", text, notes);
}

/** Work trees in this repository whose run is gone. */
async function trees({ settings: found, parts }: Workspace): Promise<DoctorCheck> {
  const repository = await Git.atTop(parts.folders.projectDir);
  if (repository === undefined) return check("work trees", "ok", "Not a git repository.");
  if ("problem" in repository) return check("work trees", "warning", "Can't be checked.", [repository.problem]);
  const dir = sessionsDir(found, parts);
  const all = readTreeRecords(repository.commonDir);
  const left = all.filter(({ run }) => !existsSync(join(dir, run)));
  const notes = left.map(
    ({ run, folder = "", record }) =>
      `${folder || record} belongs to run ${run}, which no longer exists. If you need nothing in it: rm -rf ${[folder, record].filter(Boolean).join(" ")}`,
  );
  const text =
    left.length === 0
      ? counted(all.length, "work tree")
      : `${counted(all.length, "work tree")}, ${left.length} left behind by removed runs`;
  return check("work trees", left.length > 0 ? "warning" : "ok", text, notes);
}

/** What `--sandbox` would do here: it is tried, not guessed. */
async function sandbox({ settings: found, parts }: Workspace): Promise<DoctorCheck> {
  const { checkSandbox } = await import("../agents/process/sandbox/check-sandbox.ts");
  const place = { environment: parts.environment, cwd: parts.folders.projectDir };
  const mode = found.text("sandbox.mode") ?? "off";
  const [worktree, strict] = await Promise.all([checkSandbox("worktree", place), checkSandbox("strict", place)]);
  const { tool } = worktree;
  if (tool === undefined) {
    if (mode !== "off")
      return check("sandbox", "error", `sandbox.mode is ${mode}, so nothing runs.`, [worktree.problem]);
    return check("sandbox", "ok", "off, and not available here", [worktree.problem]);
  }
  const works = `${tool.name}${tool.version === undefined ? "" : ` ${tool.version}`} works`;
  if (strict.tool === undefined)
    return check("sandbox", mode === "strict" ? "error" : "ok", `${mode}; ${works} for worktree only`, [
      strict.problem,
    ]);
  if (mode !== "off") return check("sandbox", "ok", `${mode}; ${works}`);
  return check("sandbox", "ok", `off; ${works} for worktree and strict`, [
    "Recommended: `atomic config set sandbox.mode worktree` keeps agents from writing outside of their folder.",
  ]);
}

/** `isChosen`: it is the one that runs use by default. */
function agentCheck({ kind, isUsable, program: found, login, notes }: BackendReport, isChosen: boolean): DoctorCheck {
  const where = found === undefined ? "not found" : `${found.version ?? "unknown version"}, ${found.path}`;
  const account = login === "missing" ? ", not logged in" : "";
  const use = isChosen ? " (the default agent)" : "";
  return check(kind, isUsable && login !== "missing" ? "ok" : "warning", where + account + use, notes);
}
