// What a workflow is, as its file or a built-in declares it: metadata, options, a graph and its first state. Inert
// data; running one is executor.ts. Nothing here knows a workflow by name.

import type { CompiledSubgraph } from "./graph/model/compiled-subgraph.ts";
import type { AnyGraphConfig } from "./graph/build/compile-config.ts";
import type { BaseState } from "./graph/model/state.ts";
import type { WorkflowTask } from "../tasks/workflow-task.ts";

export interface WorkflowMetadata {
  readonly name: string;
  readonly description: string;
  readonly aliases?: readonly string[] | undefined;
  readonly defaultConfig?: Readonly<Record<string, unknown>> | undefined;
  /** The workflow's own version (semver). */
  readonly version?: string | undefined;
  /** The oldest Atomic that can run it. */
  readonly minSDKVersion?: string | undefined;
  /** The version of its state's shape. */
  readonly stateVersion?: number | undefined;
  /** Brings a state of an older version to this one. */
  readonly migrateState?:
    | ((state: Record<string, unknown>, fromVersion: number) => Record<string, unknown>)
    | undefined;
  /** Shown after the command's name: `PROMPT [--yolo]`. */
  readonly argumentHint?: string | undefined;
  readonly source?: "builtin" | "global" | "local" | undefined;
}

/** An option that a workflow declares: command line, slash command, help and validation come from it. */
export interface WorkflowOption {
  readonly type: "string" | "number" | "boolean";
  /** `auto` for a boolean: it can be switched on and off, and is that word when it is not given. */
  readonly default?: string | number | boolean | readonly (string | number)[] | undefined;
  readonly description: string;
  /** May be given several times; the value is then a list. */
  readonly repeat?: boolean | undefined;
}

export type WorkflowOptionValue = string | number | boolean | readonly string[] | readonly number[];

export interface WorkflowStateParams {
  /** What the user asked for; empty where the workflow needs no prompt. */
  readonly prompt: string;
  /** The run's id, a UUID. */
  readonly sessionId: string;
  readonly sessionDir: string;
  readonly worktrees?: WorktreeOptions | undefined;
  /** 0 = no limit. */
  readonly maxIterations: number;
  /** Values of the declared options, defaults filled in. */
  readonly options: Readonly<Record<string, WorkflowOptionValue | undefined>>;
  /** The folder the run works in. */
  readonly cwd: string;
  /**
   * To be called before commands that were read from a file go into the state: they are code, and perhaps a stranger's.
   * Throws NOT_TRUSTED unless the user trusts exactly these commands in this file. Absent: no user can be asked.
   */
  readonly requireTrust?: ((found: CommandsInFile) => void) | undefined;
  /** Ids of tasks that earlier runs completed and that this one leaves out. */
  readonly completedEarlier?: readonly string[] | undefined;
}

/** How work trees of this run's workers are created. */
export interface WorktreeOptions {
  /** Where they go; absent: into the run's own folder. */
  readonly dir?: string | undefined;
  /** Run once in each. `file`: where a project says so; it needs trust then. */
  readonly setup?: { readonly command: string; readonly file?: string | undefined } | undefined;
  /** Ignored folders that they share with the user's; `auto`: those that hold packages. Default auto. */
  readonly share?: readonly string[] | undefined;
}

/** Commands from a file that the run would start. */
export interface CommandsInFile {
  /** Absolute. */
  readonly file: string;
  readonly commands: readonly string[];
}

/** What is known about a run before it is created. */
export type StartParams = Pick<WorkflowStateParams, "prompt" | "options" | "cwd">;

/** The list that a run takes its tasks from. */
export interface TaskSource {
  /** Absolute. */
  readonly file: string;
  readonly tasks: readonly WorkflowTask[];
  /** What to do about tasks that an earlier run completed: ask the user, leave them out, or do them again. */
  readonly earlierWork: "ask" | "leave-out" | "redo";
}

export interface StartPlan {
  readonly tasks?: TaskSource | undefined;
}

/** What `export default` of a workflow file may return. */
export type WorkflowFactory = (config?: Record<string, unknown>) => CompiledSubgraph | { compile(): CompiledSubgraph };

export interface WorkflowDefinition extends WorkflowMetadata {
  readonly graphConfig?: AnyGraphConfig | undefined;
  /** The other way to give a graph: a function, called with `defaultConfig`. */
  readonly createWorkflow?: WorkflowFactory | undefined;
  /** Called before a run is created: throws if the run can't work, and says where its tasks come from. */
  readonly beforeStart?: ((params: StartParams) => StartPlan | Promise<StartPlan>) | undefined;
  readonly createState?: ((params: WorkflowStateParams) => BaseState) | undefined;
  /** What to show while a node runs; nodes that are not listed are not announced. */
  readonly nodeDescriptions?: Readonly<Record<string, string>> | undefined;
  readonly options?: Readonly<Record<string, WorkflowOption>> | undefined;
  /**
   * The workflow runs the commands of `--verify` itself, and finds them in `options.verify`. Otherwise the run checks
   * them after the last node, and is completed only when all of them succeed.
   */
  readonly verifiesItself?: boolean | undefined;
  /** Default `required`. */
  readonly prompt?: "required" | "optional" | "none" | undefined;
}
