// What a run needs of the folder it works in: workflows by name, and the agents, skills, commands and tools that its
// nodes may ask for. How they are found, and whether their code may run, is decided behind this interface.

import type { WorkflowInfo } from "../catalog/modules/workflow-file.ts";
import type { AtomicError } from "../lib/errors.ts";
import type { CommandsInFile, WorkflowDefinition } from "../workflows/definition.ts";
import type { TrustQuestion } from "./trust.ts";
import type { WorkflowHost } from "../workflows/executor.ts";

export type RunEnvironment = Pick<
  WorkflowHost,
  "agent" | "entities" | "workflows" | "tools" | "agentTools" | "subagents"
>;

export interface RunProject {
  readonly cwd: string;
  /** Whether the project's own settings, hooks and servers may be started by the agents. */
  readonly isTrusted: boolean;
  /** What it takes, read without running its file. Throws WORKFLOW_NOT_FOUND. */
  usage(name: string): Pick<WorkflowInfo, "name" | "description" | "options" | "prompt">;
  /** By name or alias. Throws WORKFLOW_NOT_FOUND, NOT_TRUSTED or WORKFLOW_FILE_INVALID. */
  workflow(name: string): Promise<WorkflowDefinition>;
  /** Throws NOT_TRUSTED for commands in a file that the user has not trusted. */
  requireTrust(found: CommandsInFile): void;
  /** If a user can be asked, asks about what was refused with NOT_TRUSTED; true if it is trusted now. */
  isTrustedNow(refusal: AtomicError): Promise<boolean>;
  /** Loads the tools, and so runs code that was trusted: asked for when a run really starts. */
  environment(): Promise<RunEnvironment>;
}

/** `once`: exactly this content, for this request only; nothing is recorded. */
export type TrustAnswer = boolean | "once";

export interface OpenProjectOptions {
  readonly cwd: string;
  /** `--trust`. */
  readonly isTrustedForThisRun: boolean;
  /**
   * The path of a workflow file that the user named: trusted for this run, found under its own name, before all
   * others.
   */
  readonly workflowFile?: string | undefined;
  /** The agent's kind: its own folders come first. */
  readonly agent: string;
  /** Shows what is not trusted yet, and whether the user trusts it now. Absent if no user can be asked. */
  readonly askTrust?: ((question: TrustQuestion) => Promise<TrustAnswer>) | undefined;
  /** What a user should hear: files that were skipped, names that hide a built-in. */
  readonly onNotice: (text: string) => void;
}
