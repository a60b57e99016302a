// Ralph: plan, work, verify, review, fix. A definition like any author's: its flags are its own options, its nodes are
// ordinary nodes, and nothing elsewhere knows its name.

import { AtomicError } from "../../lib/errors.ts";
import { verifyCommandsOf } from "../../tasks/workflow-task.ts";
import type { WorkflowDefinition, WorkflowStateParams } from "../definition.ts";
import type { WorkflowGraphConfig } from "../graph/build/compile-config.ts";
import type { NodeDefinition } from "../graph/model/node.ts";
import { createNode } from "../graph/nodes/create-node.ts";
import { type FoundTasks, loadTasks, readSpec } from "./inputs.ts";
import { reasonToShare } from "./isolation.ts";
import { ralphMetadata } from "./metadata.ts";
import { plan } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { makePullRequest, maxTries } from "./pull-request.ts";
import { report } from "./report.ts";
import { needsFix, planFixes, review, wantsReview } from "./review.ts";
import { type RalphState, ralphAnnotations } from "./state.ts";
import { beforeStart, startMode, startSettings } from "./start.ts";
import { work } from "./work.ts";
import type { Furnishing } from "./work-places.ts";
import { yolo } from "./yolo.ts";
import { treesDirOf } from "../worktrees/trees-dir.ts";

const node = (
  id: string,
  type: NodeDefinition<RalphState>["type"],
  execute: NodeDefinition<RalphState>["execute"],
  more: Pick<NodeDefinition<RalphState>, "retry"> = {},
): NodeDefinition<RalphState> =>
  createNode<RalphState>({ ...more, id, type, execute: execute as NonNullable<typeof execute> });

/** An essential turn is taken again if the failure may be temporary, for example a program that died. */
const again = { retry: { maxAttempts: maxTries, backoffMs: 2000, retryOn: isPassing } };

function isPassing(error: Error): boolean {
  return AtomicError.is(error) && error.retryable;
}

const graphConfig: WorkflowGraphConfig<RalphState> = {
  startNode: "prepare",
  stateAnnotations: ralphAnnotations,
  // The run's own limit counts iterations; the graph's would count reviews.
  maxIterations: 0,
  nodes: [
    node("prepare", "tool", prepare),
    node("plan", "agent", plan, again),
    node("work", "agent", work),
    node("review", "agent", review, again),
    node("fix", "tool", planFixes),
    node("yolo", "agent", yolo),
    node("pull-request", "agent", makePullRequest, again),
    node("report", "tool", report),
  ],
  edges: [
    { from: "prepare", to: "plan", condition: (state) => state.mode === "plan" },
    { from: "prepare", to: "yolo", condition: (state) => state.mode === "yolo" },
    { from: "prepare", to: "work" },
    { from: "plan", to: "work" },
    { from: "work", to: "review", condition: wantsReview },
    { from: "work", to: "pull-request", condition: wantsPullRequest },
    { from: "work", to: "report" },
    { from: "review", to: "fix", condition: needsFix },
    { from: "review", to: "pull-request", condition: wantsPullRequest },
    { from: "review", to: "report" },
    { from: "fix", to: "work" },
    { from: "yolo", to: "yolo", condition: (state) => state.loop?.isDone !== true },
    { from: "yolo", to: "pull-request", condition: wantsPullRequest },
    { from: "yolo", to: "report" },
    { from: "pull-request", to: "report" },
  ],
};

function wantsPullRequest(state: Readonly<RalphState>): boolean {
  return state.settings.pr && state.tasks.every((task) => task.status === "completed");
}

export const ralphDefinition: WorkflowDefinition = {
  ...ralphMetadata,
  graphConfig,
  beforeStart,
  createState,
  nodeDescriptions: {
    prepare: "Preparing",
    plan: "Planning the tasks",
    work: "Working on the tasks",
    review: "Reviewing the work",
    fix: "Planning fixes",
    yolo: "Working until it is complete",
    "pull-request": "Opening a pull request",
    report: "Writing the report",
  },
};

/** Reads the spec and the tasks: a run that can't begin is refused before it is created. */
function createState(params: WorkflowStateParams): RalphState {
  const { cwd, sessionDir, sessionId, completedEarlier = [] } = params;
  const { mode, list } = startMode(params);
  const found = mode === "tasks" ? trustedTasks(list, params) : undefined;
  const done = new Set(completedEarlier);
  return {
    executionId: sessionId,
    outputs: {},
    mode,
    prompt: readSpec(params.prompt.trim(), cwd),
    cwd,
    sessionDir,
    featureList: found?.featureList ?? null,
    source: found?.path ?? null,
    settings: startSettings(params.options),
    tasks: (found?.tasks ?? []).map((task) => (done.has(task.id) ? { ...task, status: "completed" as const } : task)),
    records: [],
    reviews: [],
    loop: null,
    kept: null,
    treesDir: treesDirOf(params.worktrees, sessionDir, sessionId),
    furnishing: furnishingOf(mode, params),
    isolation: null,
    delivery: null,
    pullRequest: null,
  };
}

/** A command in a project's settings is code. */
function furnishingOf(mode: RalphState["mode"], { worktrees, requireTrust, options }: WorkflowStateParams): Furnishing {
  const { setup, share = ["auto"] } = worktrees ?? {};
  const isWanted = setup !== undefined && reasonToShare({ mode, settings: startSettings(options) }) === undefined;
  if (isWanted && setup.file !== undefined) requireTrust?.({ file: setup.file, commands: [setup.command] });
  return { setup: setup?.command ?? null, share };
}

/** The list may be a stranger's, and its `verify` commands are code. */
function trustedTasks(given: string | null, { cwd, options, requireTrust }: WorkflowStateParams): FoundTasks {
  const found = loadTasks(given, cwd, options["redo"] === true);
  const commands = verifyCommandsOf(found.tasks);
  if (requireTrust !== undefined) requireTrust({ file: found.path, commands });
  else if (commands.length > 0) throw new AtomicError("NOT_TRUSTED", `The commands in ${found.path} are not trusted.`);
  return found;
}
