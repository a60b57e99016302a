// Everything a front end needs to run workflows in one folder: its settings, its project, and the runs of the user.

import { createRedactor, createStreamRedactors } from "../lib/redact.ts";
import { requireValid, resolveSettings, type Settings } from "../settings/resolve-settings.ts";
import { defaultRunLimits, type RunLimits } from "../workflows/limits/run-limits.ts";
import type { WorkflowDefinition } from "../workflows/definition.ts";
import { declaredIterations } from "../workflows/workflow-graph.ts";
import { isSandboxMode, type SandboxMode } from "../lib/sandbox-mode.ts";
import type { AgentSpec, MakeAgent } from "./agents.ts";
import type { ChatHost } from "./chat/chat-host.ts";
import { openCatalogProject } from "./catalog-project.ts";
import { createOwnRuns, everyRun } from "./own-runs.ts";
import type { AppParts } from "./parts.ts";
import type { PrepareStore } from "./prepare-store.ts";
import { openRunStore, type StoreParts } from "./open-run-store.ts";
import type { OpenProjectOptions, RunProject } from "./run-project.ts";
import type { RunStarterOptions } from "./runs-start.ts";
import { createMakeSandbox } from "./run-sandbox.ts";
import { createRuns, type Runs } from "./runs.ts";

/** What only main.ts can give. */
export interface RunParts extends AppParts, StoreParts {
  readonly makeAgent: MakeAgent;
  readonly reap: (processesDir: string) => Promise<unknown>;
  /** Ends, at once and without waiting, what this process started. */
  readonly endChildren: (processesDir: string) => void;
  readonly newId: () => string;
  readonly prepareStore: PrepareStore;
}

export interface RunApp {
  readonly settings: Settings;
  readonly runs: Runs;
  readonly chatHost: ChatHost;
  /** The user's own limits. */
  readonly limits: RunLimits;
  /** The limits of a run of this workflow that is given none: the user's, and what the workflow asks for. */
  limitsFor(definition: WorkflowDefinition): RunLimits;
  readonly programs: AgentSpec["programs"];
  /** How long a node may show no activity before it is reported; 0 = forever. */
  readonly quietAfterMs: number;
  /** The default sandbox mode of a run's agents. */
  readonly sandboxMode: SandboxMode;
  openProject(options: Omit<OpenProjectOptions, "cwd"> & { readonly cwd?: string | undefined }): RunProject;
  /** What runs are started with, except the store: for tests, which keep theirs apart. */
  readonly starterOptions: Omit<RunStarterOptions, "store">;
  /** For a front end that must exit at once. */
  endChildren(run: string): void;
}

/** Throws SETTINGS_INVALID: a run must not use a wrong limit. */
export async function createRunApp(parts: RunParts): Promise<RunApp> {
  const { folders, environment, clock } = parts;
  const settings = requireValid(resolveSettings({ folders, environment }));
  const maskNames = settings.list("mask.names");
  const url = settings.text("store");
  // The database's password may be in a settings file only.
  const secrets = { ...environment, ATOMIC_STORE: url };
  const redact = createRedactor(secrets, maskNames);
  const store = await openRunStore(settings, parts);
  // The database itself decides who may write to it.
  const own = url === undefined ? createOwnRuns(folders.atomicHome, store.dir) : everyRun;
  const createStreamRedactor = createStreamRedactors(secrets, maskNames);
  const quietAfterMs = (settings.number("progress.quiet") ?? 1) * 60_000;
  const starterOptions = {
    clock,
    redact,
    createStreamRedactor,
    newId: parts.newId,
    turnLimits: turnLimitsOf(settings),
    worktrees: worktreesOf(settings),
    makeSandbox: createMakeSandbox(settings, environment, folders),
    quietAfterMs,
    makeAgent: parts.makeAgent,
    reap: parts.reap,
  };
  const runs = createRuns({ ...starterOptions, store, isOwn: own.has });
  return {
    settings,
    runs: {
      ...runs,
      async start(request) {
        const { run = parts.newId() } = request;
        own.note(run);
        return runs.start({ ...request, run });
      },
      async fork(id, request) {
        // What the copy says is started when it is resumed: it must be the user's own, as the run itself must be.
        own.require(id, request.isTrustedForThisRun === true);
        own.note(request.into);
        return runs.fork(id, request);
      },
      async resume(request) {
        own.require(request.facts.run, request.isTrustedForThisRun === true);
        return runs.resume(request);
      },
      async land(run, tasks) {
        own.require(store.folder(run).id, false);
        return runs.land(run, tasks);
      },
      async *verify(run, signal) {
        own.require(store.folder(run).id, false);
        yield* runs.verify(run, signal);
      },
    },
    chatHost: { ...starterOptions, sandboxMode: sandboxModeOf(settings), store, own },
    starterOptions,
    limits: limitsOf(settings),
    limitsFor: (definition) => limitsFor(definition, settings),
    quietAfterMs,
    sandboxMode: sandboxModeOf(settings),
    programs: {
      claude: settings.text("agents.claude.path"),
      opencode: settings.text("agents.opencode.path"),
      copilot: settings.text("agents.copilot.path"),
    },
    openProject: ({ cwd = folders.projectDir, ...options }) => openCatalogProject(parts, { ...options, cwd }),
    endChildren: (run) => parts.endChildren(store.folder(run).processes),
  };
}

/** A workflow may ask for more iterations than the default, not for more than the user set. */
function limitsFor(definition: WorkflowDefinition, settings: Settings): RunLimits {
  const limits = limitsOf(settings);
  const declared = declaredIterations(definition);
  if (declared === undefined) return limits;
  const isSet = settings.values.get("limits.maxIterations")?.origin !== "default";
  const isTighter = limits.maxIterations > 0 && limits.maxIterations < declared;
  return isSet && isTighter ? limits : { ...limits, maxIterations: declared };
}

function limitsOf(settings: Settings): RunLimits {
  return {
    maxIterations: settings.number("limits.maxIterations") ?? defaultRunLimits.maxIterations,
    maxCostUsd: settings.number("limits.maxCost"),
    maxTokens: settings.number("limits.maxTokens"),
    maxMinutes: settings.number("limits.maxMinutes"),
    maxWaitMinutes: settings.number("limits.maxWait") ?? defaultRunLimits.maxWaitMinutes,
  };
}

function worktreesOf(settings: Settings): RunStarterOptions["worktrees"] {
  const command = settings.text("worktrees.setup");
  const found = settings.values.get("worktrees.setup");
  const file = found?.origin === "project" ? found.at : undefined;
  return {
    dir: settings.text("worktrees.dir"),
    setup: command === undefined ? undefined : { command, file },
    share: settings.list("worktrees.share"),
  };
}

function sandboxModeOf(settings: Settings): SandboxMode {
  const mode = settings.text("sandbox.mode") ?? "off";
  return isSandboxMode(mode) ? mode : "off";
}

/** The longest that a timer can wait for: over three weeks. */
const maxTimerMs = 2 ** 31 - 1;

function turnLimitsOf(settings: Settings): RunStarterOptions["turnLimits"] {
  const ms = (minutes: number): number => (minutes === 0 ? maxTimerMs : Math.min(minutes * 60_000, maxTimerMs));
  const silence = settings.number("limits.maxSilence");
  const toolSilence = settings.number("limits.maxToolSilence");
  return {
    ...(silence !== undefined && { silenceMs: ms(silence) }),
    ...(toolSilence !== undefined && { toolMs: ms(toolSilence) }),
  };
}
