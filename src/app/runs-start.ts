// Starts and resumes runs. Owns what surrounds the executor: orphans of a killed process are ended first,
// the agent is created and closed, and what a later process needs to resume in the same way is recorded.

import { statSync } from "node:fs";
import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { StreamRedactor } from "../lib/redact.ts";
import { sweepTempFolders } from "../lib/temp-folder.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { OwnerState } from "../journal/port.ts";
import type { WorkflowDefinition, WorkflowOptionValue } from "../workflows/definition.ts";
import {
  runWorkflow,
  type WorkflowExecutionResult,
  type WorkflowHost,
  type WorkflowRunRequest,
} from "../workflows/executor.ts";
import type { QuestionPolicy } from "../workflows/graph/run/run-control.ts";
import type { RunLimits } from "../workflows/limits/run-limits.ts";
import { isProblemOfRun, type RunStore } from "../workflows/sessions/run-store.ts";
import type { SandboxMode } from "../lib/sandbox-mode.ts";
import { treesDirOf } from "../workflows/worktrees/trees-dir.ts";
import type { MakeAgent } from "./agents.ts";
import { type MakeSandbox, openSandbox } from "./run-sandbox.ts";
import { createRunClients, type RunAgentSpec } from "./run-clients.ts";
import { isTerminal } from "../agents/events.ts";
import { maskEvent, maskProgress } from "./mask-progress.ts";
import { type QuietNode, type QuietNodes, watchQuietNodes } from "./quiet-nodes.ts";
import type { NodeNote, ProgressNote } from "./progress-note.ts";
import type { RunProject } from "./run-project.ts";
import type { StartFacts } from "./start-facts.ts";

/** What holds for this process only, be it the first of the run or a later one. */
export interface RunOptions {
  readonly agent: RunAgentSpec;
  readonly model?: string | undefined;
  /** How far agents are held back. Default off. */
  readonly sandbox?: SandboxMode | undefined;
  readonly limits: RunLimits;
  readonly questions: QuestionPolicy;
  /** By the question's id or text. */
  readonly answers?: Readonly<Record<string, Json>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((run: string, event: RunEvent) => void) | undefined;
  readonly onView?: WorkflowRunRequest["onView"];
  readonly onProgress?: ((run: string, note: ProgressNote) => void) | undefined;
  /** In place of `onProgress`, where what agents do is not needed: it is not even collected. */
  readonly onNodeProgress?: ((run: string, note: NodeNote) => void) | undefined;
  /** A node has shown no activity for a while. */
  readonly onQuiet?: ((run: string, quiet: QuietNode) => void) | undefined;
}

export interface StartRequest extends RunOptions {
  /** The new run's id. Default: a new one. */
  readonly run?: string | undefined;
  readonly project: RunProject;
  readonly definition: WorkflowDefinition;
  readonly prompt: string;
  readonly options: Readonly<Record<string, WorkflowOptionValue | undefined>>;
  readonly taskSource?: string | undefined;
  readonly completedEarlier?: readonly string[] | undefined;
}

export interface ResumeRequest extends RunOptions {
  readonly project: RunProject;
  readonly definition: WorkflowDefinition;
  readonly facts: StartFacts;
  /** Also when its owner can't be checked from here. Never from one that is known to be alive. */
  readonly takeOver?: boolean | undefined;
  /** `--trust`: also a run that another user left where this user's runs are kept. */
  readonly isTrustedForThisRun?: boolean | undefined;
}

export type RunResult = WorkflowExecutionResult;

export interface RunStarter {
  start(request: StartRequest): Promise<RunResult>;
  resume(request: ResumeRequest): Promise<RunResult>;
}

export interface RunStarterOptions {
  readonly store: RunStore;
  readonly makeAgent: MakeAgent;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly turnLimits?: WorkflowHost["turnLimits"];
  readonly worktrees?: WorkflowHost["worktrees"];
  /** Throws SANDBOX_UNAVAILABLE. */
  readonly makeSandbox?: MakeSandbox | undefined;
  /** How long a node may show no activity before it is reported; 0 or absent: forever. */
  readonly quietAfterMs?: number | undefined;
  readonly redact: ((text: string) => string) | undefined;
  /** Masks text that comes in pieces. */
  readonly createStreamRedactor: (() => StreamRedactor) | undefined;
  /** Ends what a killed process left behind, by the records in this folder. */
  readonly reap: (processesDir: string) => Promise<unknown>;
  /** Whether the user started the run: records of processes in other runs' folders are not believed. Absent: all are. */
  readonly isOwn?: ((run: string) => boolean) | undefined;
}

interface Launch extends Omit<StartRequest, "prompt" | "options" | "run"> {
  readonly run: string;
  readonly isResume: boolean;
  readonly prompt: string;
  readonly options: StartRequest["options"];
}

export function createRunStarter(host: RunStarterOptions): RunStarter {
  const { store } = host;

  async function launch(launch: Launch, takeOver: boolean): Promise<RunResult> {
    const { run, project, definition, agent } = launch;
    requireFolder(project.cwd);
    const folder = store.folder(run);
    const folders = { processesDir: folder.processes, memoryDir: folder.memory };
    const treesDir = treesDirOf(host.worktrees, folder.dir, run);
    const place = { cwd: project.cwd, treesDir, sessionDir: folder.dir };
    const sandbox = await openSandbox(host.makeSandbox, launch.sandbox ?? "off", place);
    const clients = await createRunClients(agent, { ...folders, sandbox }, host.makeAgent);
    const quiet = quietNodesOf(launch);
    try {
      const environment = await project.environment();
      return await whenTrusted(project, () =>
        runWorkflow(
          definition,
          {
            run,
            resume: launch.isResume,
            takeOver,
            prompt: launch.prompt,
            options: launch.options,
            cwd: project.cwd,
            taskSource: launch.taskSource,
            completedEarlier: launch.completedEarlier,
            model: launch.model,
            isProjectTrusted: project.isTrusted,
            limits: launch.limits,
            questions: launch.questions,
            answers: launch.answers,
            facts: {
              ...agentFacts(agent),
              noQuestions: launch.questions === "decline",
              sandbox: launch.sandbox ?? "off",
            },
            signal: launch.signal,
            onEvent: (event) => {
              quiet?.event(event);
              launch.onEvent?.(run, event);
            },
            onView: launch.onView,
            ...progressFor(launch),
          },
          {
            ...environment,
            store,
            agents: clients.agents,
            sandbox,
            clock: host.clock,
            redact: host.redact,
            requireTrust: project.requireTrust,
            turnLimits: host.turnLimits,
            worktrees: host.worktrees,
          },
        ),
      );
    } finally {
      quiet?.close();
      await clients.close();
      await sandbox?.close();
    }
  }

  function quietNodesOf({ run, onQuiet }: Launch): QuietNodes | undefined {
    const { clock, quietAfterMs: afterMs = 0 } = host;
    return onQuiet && watchQuietNodes({ clock, afterMs, report: (quiet) => onQuiet(run, quiet) });
  }

  /** Nothing where no front end looks: then the engine makes no notes at all. */
  function progressFor({
    run,
    onProgress,
    onNodeProgress,
  }: Launch): Pick<WorkflowRunRequest, "onProgress" | "onAgentEvent"> {
    if (onProgress === undefined)
      return onNodeProgress === undefined
        ? {}
        : { onProgress: (note) => onNodeProgress(run, { from: "node", ...note }) };
    const { createStreamRedactor, redact } = host;
    const shown = (note: ProgressNote): void => onProgress(run, note);
    const next = createStreamRedactor === undefined ? shown : maskProgress(shown, createStreamRedactor);
    return {
      onProgress: (note) => next({ from: "node", ...note }),
      onAgentEvent({ place: { node, key, task, worker }, event }) {
        const data = redact === undefined ? event : maskEvent(event, redact);
        // The end of a turn is on record, with more than this.
        if (!isTerminal(event)) next({ from: "agent", type: data.type, node, key, task, worker, data });
      },
    };
  }

  /** Orphans of this run could still write into its folder: they end first. Those of others end meanwhile. */
  async function reaped<T>(run: string, body: () => Promise<T>): Promise<T> {
    await reapOwn(run, store.folder(run).processes);
    const going = body();
    const others = reapOthers(run);
    try {
      return await going;
    } finally {
      await others;
    }
  }

  /**
   * Those that a process worked on when it was killed. One after the other, with room for the run in between: a machine
   * that was switched off may have left many.
   */
  async function reapOthers(run: string): Promise<void> {
    const { working } = store;
    if (!working.isComplete) await reapUnmarked(run);
    for (const mark of working.list()) {
      if (mark.process === "alive" || host.isOwn?.(mark.run) === false) continue;
      await roomForOthers();
      if (mark.run !== run) await host.reap(`${store.dir}/${mark.run}/processes`);
      if (mark.process === "dead" || isGone(await ownerOf(mark.run))) mark.clear();
    }
    sweepTempFolders(host.clock.now());
  }

  /** Once in a home that an earlier version kept runs in: those have no marks. */
  async function reapUnmarked(run: string): Promise<void> {
    const marked = new Set(store.working.list().map((mark) => mark.run));
    let isComplete = true;
    for (const id of store.localRuns()) {
      if (id === run || marked.has(id)) continue;
      await roomForOthers();
      await reapOwn(id, `${store.dir}/${id}/processes`);
      const owner = await ownerOf(id);
      if (owner === "alive" || owner === undefined) isComplete = false;
    }
    if (isComplete) store.working.setComplete();
  }

  /** Undefined if it is unknown now: a database does not answer. */
  async function ownerOf(run: string): Promise<OwnerState | undefined> {
    try {
      return (await store.info(run)).owner;
    } catch (thrown) {
      if (!AtomicError.is(thrown)) throw thrown;
      return isProblemOfRun(thrown) ? "none" : undefined;
    }
  }

  async function reapOwn(run: string, processesDir: string): Promise<void> {
    if (host.isOwn?.(run) !== false) await host.reap(processesDir);
  }

  return {
    start(request) {
      const { run = host.newId() } = request;
      return reaped(run, () => launch({ ...request, run, isResume: false }, false));
    },

    resume({ facts, takeOver = false, ...request }) {
      const { run, prompt, options } = facts;
      const going = { ...request, run, isResume: true, prompt, options };
      return reaped(run, async () => {
        try {
          return await launch(going, false);
        } catch (error) {
          const isUnknown = AtomicError.is(error, "RUN_OWNED") && error.details["isKnownAlive"] === false;
          if (!takeOver || !isUnknown) throw error;
        }
        return launch(going, true);
      });
    },
  };
}

function isGone(owner: OwnerState | undefined): boolean {
  return owner === "none" || owner === "dead";
}

function roomForOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What a run needs consent for shows before it is made. A user who gives it need not start again. */
async function whenTrusted<T>(project: Pick<RunProject, "isTrustedNow">, start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start();
    } catch (thrown) {
      if (!AtomicError.is(thrown, "NOT_TRUSTED") || !(await project.isTrustedNow(thrown))) throw thrown;
    }
  }
}

function agentFacts({ script }: RunAgentSpec): JsonObject {
  return script === undefined ? {} : { script };
}

function requireFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new AtomicError(
    "USAGE",
    `${cwd} is not a folder, and the run works there. Put it back, or choose another one with --cwd.`,
    { details: { cwd } },
  );
}
