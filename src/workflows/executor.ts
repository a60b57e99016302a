// The one path for every workflow: its graph, a session folder, limits, agents, events out. No workflow is known here
// by name. Front ends call it through src/app; what they show is a fold of the events.

import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentProgress } from "../agents/agent-progress.ts";
import type { AgentTool } from "../agents/agent-tool.ts";
import type { OfferedAgent } from "../agents/offered-agents.ts";
import type { AgentDefinition } from "../agents/port.ts";
import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import type { TurnLimits } from "../agents/limits.ts";
import { counted } from "../lib/counted.ts";
import type { Clock } from "../lib/clock.ts";
import { steadyClock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { type Json, type JsonObject, toJson } from "../lib/json.ts";
import type { RunEvent } from "../events/run-event.ts";
import { capabilitiesOf, type WorkflowCapabilities } from "./capabilities.ts";
import type {
  CommandsInFile,
  WorkflowDefinition,
  WorkflowOptionValue,
  WorkflowStateParams,
  WorktreeOptions,
} from "./definition.ts";
import { firstState } from "./first-state.ts";
import type { PauseReason } from "../events/engine-events.ts";
import type { ExecutionResult } from "./graph/run/execute-options.ts";
import { runGraph } from "./graph/run/execute.ts";
import { pauseWith } from "./graph/model/pause-with.ts";
import type { OpenQuestion } from "./graph/model/question.ts";
import type { QuestionPolicy } from "./graph/run/run-control.ts";
import { provideAsyncContext } from "./graph/run/load-runs.ts";
import type { StepScope } from "./graph/run/step-scope.ts";
import type { EntitySource } from "./graph/model/entities.ts";
import type { Runtime, ToolSource, WorkflowResolver } from "./graph/model/runtime.ts";
import { createLimitedBridge } from "./limits/limited-bridge.ts";
import { requireCountable } from "./limits/require-countable.ts";
import { RunLedger } from "./limits/run-ledger.ts";
import { activeMs, type RunTotals } from "./limits/run-spending.ts";
import type { RunLimits } from "./limits/run-limits.ts";
import { agentLabel, connectAgents, type RunAgents } from "./run-agents.ts";
import { commandNote } from "./sessions/command-note.ts";
import { ownChecks, runOwnChecks } from "./run-checks.ts";
import { openAsRead, readAgainIfOutOfDate } from "./open-as-read.ts";
import { useSandbox } from "./run-sandbox.ts";
import { ChangedFiles, type FileLineCounts } from "./sessions/changed-files.ts";
import { openTranscript } from "./sessions/run-transcript.ts";
import { SessionProjections } from "./sessions/projections.ts";
import type { SessionFolder } from "./sessions/session-folder.ts";
import { createSessionView, type SessionView, totalsOf } from "./sessions/session-view.ts";
import { readRun, ViewRecorder } from "./sessions/view-snapshot.ts";
import type { RunStore } from "./sessions/run-store.ts";
import { withTaskEvents } from "./task-events.ts";
import { graphOf } from "./workflow-graph.ts";
import type { LandTarget } from "./worktrees/land-run.ts";
import { RunWorktrees } from "./worktrees/run-worktrees.ts";
import { treesDirOf } from "./worktrees/trees-dir.ts";

export interface WorkflowRunRequest {
  /** A new id, or the id of the run to resume. */
  readonly run: string;
  readonly resume: boolean;
  /** Resume even if its owner may be alive: for one that can't be seen from here. */
  readonly takeOver?: boolean | undefined;
  readonly prompt: string;
  readonly options: Readonly<Record<string, WorkflowOptionValue | undefined>>;
  readonly cwd: string;
  /** The file that the tasks come from; stored with the start. */
  readonly taskSource?: string | undefined;
  /** Ids of tasks that earlier runs completed and that this one leaves out. */
  readonly completedEarlier?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly isProjectTrusted: boolean;
  readonly limits: RunLimits;
  readonly questions: QuestionPolicy;
  readonly answers?: Readonly<Record<string, Json>> | undefined;
  /** What else a later process needs to resume in the same way; stored with the start. */
  readonly facts?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Called once, with what reads how the run stands at any moment, and the files that its agents changed by now. */
  readonly onView?: ((read: () => SessionView, changes: () => readonly FileLineCounts[]) => void) | undefined;
  /** What nodes hand to `ctx.progress`. */
  readonly onProgress?: ((event: { type: string; node: string; key: string; data: Json }) => void) | undefined;
  /** What agents do, as it happens. */
  readonly onAgentEvent?: ((progress: AgentProgress) => void) | undefined;
}

/** What a run needs of the program around it. */
export interface WorkflowHost {
  /** How long an agent and its tools are waited for. */
  readonly turnLimits?: Partial<TurnLimits> | undefined;
  readonly store: RunStore;
  readonly agents: RunAgents;
  /** What commands that the run starts itself are run in. Absent: nothing holds them back. */
  readonly sandbox?: ProgramSandbox | undefined;
  /** Throws with a suggestion when there is no agent of that name. */
  readonly agent: (name: string) => AgentDefinition;
  readonly entities: EntitySource;
  readonly workflows: WorkflowResolver;
  readonly tools?: ToolSource | undefined;
  /** Offered to the agents, where the backend takes them. */
  readonly agentTools?: readonly AgentTool[] | undefined;
  /** Agents that a running agent may start as its sub-agents, where the backend takes them. */
  readonly subagents?: readonly OfferedAgent[] | undefined;
  readonly redact?: ((text: string) => string) | undefined;
  readonly worktrees?: WorktreeOptions | undefined;
  readonly clock?: Clock | undefined;
  /** Throws NOT_TRUSTED for commands in a file that the user has not trusted. Absent: it goes by `isProjectTrusted`. */
  readonly requireTrust?: ((found: CommandsInFile) => void) | undefined;
}

export interface WorkflowExecutionResult {
  readonly success: boolean;
  readonly status: ExecutionResult<object>["status"];
  readonly reason?: PauseReason | undefined;
  readonly message?: string | undefined;
  readonly error?: Error | undefined;
  readonly run: string;
  readonly sessionDir: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly questions: readonly OpenQuestion[];
  readonly totals: RunTotals;
  readonly report?: Json | undefined;
}

export function runWorkflow(
  definition: WorkflowDefinition,
  request: WorkflowRunRequest,
  host: WorkflowHost,
): Promise<WorkflowExecutionResult> {
  return readAgainIfOutOfDate(() => runAsRead(definition, request, host));
}

async function runAsRead(
  definition: WorkflowDefinition,
  request: WorkflowRunRequest,
  host: WorkflowHost,
): Promise<WorkflowExecutionResult> {
  const { store } = host;
  const { run } = request;
  // So that the engine knows which step of a node a question comes from.
  provideAsyncContext(async () => () => new AsyncLocalStorage<StepScope>());
  for (const client of host.agents.preferred) requireCountable(request.limits, client);
  const clock = host.clock ?? steadyClock;
  const folder = store.folder(run);
  // Its own limit is that of the run by now, unless the run was given another one.
  const own = graphOf(definition);
  const graph = own.config.maxVisits === undefined || own.config.maxVisits === 0 ? own : own.withRunLimit();
  const params = stateParams(request, host, folder);
  const checks = ownChecks(definition, request.options);
  // What was used up before counts against the limits of this run too.
  const recorded = request.resume ? await readRun(store, run) : { view: createSessionView(run), starts: [] };
  const recorder = new ViewRecorder(folder, recorded);
  const { view } = recorded;
  const ledger = new RunLedger(view.spending);
  const changed = new ChangedFiles({ id: run, cwd: request.cwd });
  let recordedAt = view.updatedAt;
  const transcript = openTranscript(folder, {
    clock,
    redact: host.redact,
    recordedAt: () => recordedAt,
    onChanges: (changes) => changed.add(changes),
  });
  const changedNow = (): readonly FileLineCounts[] =>
    changed.list().map((file) => ({ ...file, path: host.redact?.(file.path) ?? file.path }));
  let shown = recorder.view;
  request.onView?.(() => {
    const { live } = transcript;
    // The same object as long as neither has changed.
    if (shown.lastSeq !== recorder.view.lastSeq || shown.live !== live) shown = { ...recorder.view, live };
    return shown;
  }, changedNow);
  const initialState = request.resume ? {} : firstState(definition, params);
  const projections = new SessionProjections(folder, () => recorder.view, clock, host.redact);
  const stopping = new AbortController();
  const pause = (reason: PauseReason, details: Readonly<Record<string, Json>>): void =>
    stopping.abort(pauseWith(reason, masked(details, host)));
  const stopClock = pauseAfterMinutes(request, view, clock, pause);
  const bridge = connectAgents({
    agents: host.agents,
    view,
    cwd: request.cwd,
    model: request.model,
    isProjectTrusted: request.isProjectTrusted,
    agent: host.agent,
    subagents: host.subagents,
    tools: host.agentTools,
    limits: host.turnLimits,
    clock,
    onAgentEvent: (progress) => {
      projections.onAgent(progress);
      transcript.onAgent(progress);
      request.onAgentEvent?.(progress);
    },
  });
  const { sandbox } = host;
  const limited = createLimitedBridge({ bridge, ledger, limits: request.limits, clock, pause });
  sandbox?.useTrees(treesDirOf(host.worktrees, folder.dir, run));
  const worktrees = new RunWorktrees({
    ...{ run, cwd: request.cwd, sessionDir: folder.dir, processesDir: folder.processes, clock, sandbox },
    worktrees: host.worktrees,
    requireTrust: params.requireTrust ?? (() => undefined),
    target: landTargetOf(request.options["land"]),
  });
  useSandbox(worktrees, sandbox);
  const runtime: Partial<Runtime> = {
    clock,
    worktrees,
    agents: limited,
    entities: host.entities,
    workflows: host.workflows,
    tools: host.tools,
    startedWith: { ...params },
    redact: host.redact,
    maxIterations: request.limits.maxIterations,
  };
  const onRunning = (command: string, isRunning: boolean): void => {
    const [type, data] = commandNote(command, null, isRunning);
    request.onProgress?.({ type, node: "verify", key: "verify", data });
  };
  let isOpen = false;
  const asRead = openAsRead(store, request.resume ? view.lastSeq : undefined);
  try {
    const result = await runGraph(graph, {
      initialState,
      runtime,
      journal: { store: withTaskEvents(asRead, view.tasks), run, resume: request.resume, takeOver: request.takeOver },
      signal: joined(stopping, request.signal),
      questions: request.questions,
      answers: request.answers,
      maxSteps: 0,
      onEvent: (event) => {
        isOpen = true;
        recordedAt = event.at;
        recorder.add(event);
        ledger.advance(recorder.view.spending, event);
        recorder.keepIfLong();
        projections.onEvent(event);
        request.onEvent?.(event);
      },
      onStep: (step) => projections.onStep(step),
      onProgress: request.onProgress,
      onNodeError: transcript.onNodeError,
      startedWith: startFacts(definition, request, host, folder, capabilitiesOf(graph, initialState)),
      beforeCompleted: () =>
        checks.length === 0 && !worktrees.wereUsed
          ? undefined
          : async (ending) => {
              const place = { cwd: request.cwd, sessionDir: folder.dir, clock, sandbox, onRunning };
              await worktrees.finish(ending);
              await runOwnChecks(checks, place, ending);
            },
      endsWith: () => {
        // Followers stop at the run's end: what agents said before must be there by then.
        transcript.flush();
        return { totals: { ...ledger.totals(clock.now()) } };
      },
    });
    return toResult(result, request, folder, recorder.view);
  } catch (thrown) {
    if (AtomicError.is(thrown, "OWNER_LOST")) isOpen = false;
    throw thrown;
  } finally {
    stopClock();
    await bridge.close();
    // The files of a run that another process has are not ours to write.
    if (isOpen) {
      projections.writeRest();
      recorder.keepAtStop();
    }
    transcript.close();
    await store.finishTranscript(run);
  }
}

/** How the run was started, as `createState` sees it: that of the workflow, and of those it uses. */
function stateParams(request: WorkflowRunRequest, host: WorkflowHost, folder: SessionFolder): WorkflowStateParams {
  const { prompt, options, cwd, limits, run } = request;
  const requireTrust = host.requireTrust ?? ((found) => requireTrustedProject(found, request.isProjectTrusted));
  const { maxIterations } = limits;
  const { completedEarlier } = request;
  const { worktrees } = host;
  const place = { sessionId: run, sessionDir: folder.dir, cwd };
  return { ...place, prompt, maxIterations, options, completedEarlier, worktrees, requireTrust };
}

/** A workflow may declare an option `land`, as ralph does. */
function landTargetOf(given: WorkflowOptionValue | undefined): LandTarget {
  return given === "branch" || given === "none" ? given : "tree";
}

function requireTrustedProject({ file, commands }: CommandsInFile, isTrusted: boolean): void {
  if (isTrusted || commands.length === 0) return;
  throw new AtomicError("NOT_TRUSTED", `${file} holds commands, and its project is not trusted. Trust it first.`, {
    details: { file },
  });
}

/** How the run was started, for a later process and for readers. */
function startFacts(
  definition: WorkflowDefinition,
  request: WorkflowRunRequest,
  host: WorkflowHost,
  folder: SessionFolder,
  capabilities: WorkflowCapabilities,
): JsonObject {
  const facts = {
    workflow: definition.name,
    agent: agentLabel(host.agents),
    agentKind: host.agents.preferred[0].kind,
    ...(host.agents.preferred.length > 1 && { agents: host.agents.preferred.map(({ kind }) => kind) }),
    model: request.model ?? null,
    sessionDir: folder.dir,
    maxIterations: request.limits.maxIterations,
    limits: definedOnly({ ...request.limits }),
    ...request.facts,
  };
  if (request.resume) return masked(facts, host);
  return masked(
    {
      ...facts,
      prompt: request.prompt,
      options: definedOnly(request.options),
      cwd: request.cwd,
      ...(request.taskSource === undefined ? {} : { taskSource: request.taskSource }),
      isProjectTrusted: request.isProjectTrusted,
      descriptions: { ...definition.nodeDescriptions },
      capabilities: { ...capabilities },
    },
    host,
  );
}

function masked<T extends Readonly<Record<string, Json>>>(facts: T, host: WorkflowHost): T {
  return host.redact === undefined ? facts : (toJson(facts, { source: "the run", path: "", redact: host.redact }) as T);
}

function definedOnly(values: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** The time of earlier processes counts; a run that is not waiting for an answer is stopped when its time is up. */
function pauseAfterMinutes(
  request: WorkflowRunRequest,
  view: SessionView,
  clock: Clock,
  pause: (reason: PauseReason, details: Readonly<Record<string, Json>>) => void,
): () => void {
  const { maxMinutes } = request.limits;
  if (maxMinutes === undefined) return () => undefined;
  const left = maxMinutes * 60_000 - activeMs(view.spending, view.updatedAt);
  const stop = new AbortController();
  clock.sleep(Math.max(0, left), stop.signal).then(
    () =>
      pause("budget", {
        limit: "max-minutes",
        message: `the limit of ${counted(maxMinutes, "minute")} is reached and work is left`,
      }),
    () => undefined,
  );
  return () => stop.abort(new Error("the run is over"));
}

function joined(own: AbortController, outer: AbortSignal | undefined): AbortSignal {
  if (outer?.aborted) own.abort(outer.reason);
  else outer?.addEventListener("abort", () => own.abort(outer.reason), { once: true, signal: own.signal });
  return own.signal;
}

function toResult(
  result: ExecutionResult<Record<string, unknown>>,
  request: WorkflowRunRequest,
  folder: SessionFolder,
  view: SessionView,
): WorkflowExecutionResult {
  const { status, reason, error, state, questions } = result;
  return {
    success: status === "completed",
    status,
    reason,
    message: error?.message ?? view.message,
    error,
    run: request.run,
    sessionDir: folder.dir,
    state,
    questions,
    totals: totalsOf(view),
    report: view.report,
  };
}
