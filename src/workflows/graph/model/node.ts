// What a node is: its definition, what its body gets and returns, and how its failures are handled.
// Scheduling is in graph-run.ts, attempts are in attempts.ts; factories for authors are in nodes/ and src/nodes.

import type { Json } from "../../../lib/json.ts";
import type { ReportedEvent } from "../../../events/reported-events.ts";
import type { CompiledSubgraph } from "./compiled-subgraph.ts";
import type { Question } from "./question.ts";
import type { Runtime } from "./runtime.ts";
import type { ReturnedUpdate, StateUpdate } from "./state.ts";
import type { Worktree } from "./worktree.ts";

export type NodeId = string;

/** `control` nodes are the builder's own (if, loop, join): they route, run no body and leave no record. */
export type NodeType = "agent" | "tool" | "decision" | "wait" | "ask_user" | "subgraph" | "parallel" | "control";

export interface NodeResult<S> {
  readonly stateUpdate?: StateUpdate<S> | undefined;
  /** The node to go to instead of following the edges. It stays in this branch. */
  readonly goto?: NodeId | undefined;
}

/** An attempt at one visit of a node. */
export interface Attempt {
  /** 1 for the first; an attempt that was killed counts. */
  readonly number: number;
  /** How many of the earlier ones failed; the others were killed. */
  readonly failures: number;
  /** How often the run ended as failed in this visit, and was resumed to try it again. */
  readonly failedRuns: number;
  /** What earlier attempts of this visit noted: an agent's session id, a child's pid, a work tree. */
  readonly previousNotes: readonly Json[];
  /** Durable when it resolves. */
  note(note: Json): Promise<void>;
  /**
   * Stored with what is recorded next, a moment later at most: for a note that the end of its step is about to follow.
   */
  noteSoon(note: Json): void;
}

export interface NodeFailure {
  readonly node: NodeId;
  readonly message: string;
  readonly code?: string | undefined;
}

export interface SubgraphCallOptions {
  /** The workflow's name: a name that is already running around this node is a cycle. */
  readonly name?: string | undefined;
  /** What the records of this call are kept under; default: which call of the body it is. */
  readonly key?: string | undefined;
}

export interface ExecutionContext<S> {
  readonly state: Readonly<S>;
  readonly signal: AbortSignal;
  readonly attempt: Attempt;
  readonly runtime: Runtime;
  readonly node: NodeId;
  /** How often this node was reached in this branch, from 1. */
  readonly visit: number;
  /** The name of this visit in the journal. */
  readonly key: string;
  /** Set for the node that an error was routed to. */
  readonly failure: NodeFailure | undefined;
  /** Records a part of the node's work: once it is recorded, a crash or a retry does not repeat it. */
  step<T extends Json | void>(name: string, body: () => Promise<T> | T): Promise<T>;
  /** An author-defined event, stored with the next record as `custom` under this name. */
  emit(name: string, data?: Json): void;
  /** An event of Atomic's vocabulary that is not an engine event: a task, a check, a report. */
  record(event: ReportedEvent): void;
  /** Everything emitted so far is durable when it resolves. */
  flush(): Promise<void>;
  /** Like emit, but shown only: never stored. */
  progress(type: string, data?: Json): void;
  /** Asks a user. The run suspends here when nothing else is left to do, and continues with the answer. */
  ask(question: string | Question): Promise<Json>;
  /** Runs another graph inside this visit, with its own records. */
  runSubgraph<T extends object>(graph: CompiledSubgraph<T>, state: T, options?: SubgraphCallOptions): Promise<T>;
  /** Sleeps until a time that survives a restart. */
  sleepUntil(atMs: number): Promise<void>;
  /**
   * A separate folder for a part of the work, in a git repository: one per name and run, the same after a crash and in
   * every node. Throws WORKTREE_FAILED, with the reason, where that is impossible.
   */
  worktree(name: string): Promise<Worktree>;
}

export interface RetryConfig {
  /** Total number of attempts, including the first. */
  readonly maxAttempts: number;
  /** The pause after the first failure; default 1000. */
  readonly backoffMs?: number | undefined;
  /** Each further pause is this much longer; default 2. */
  readonly backoffMultiplier?: number | undefined;
  /** No pause is longer than this; default 60,000. */
  readonly maxBackoffMs?: number | undefined;
  /** Which failures are worth another attempt; default all. */
  readonly retryOn?: ((error: Error) => boolean) | undefined;
}

/** What happens after the last failed attempt. */
export type ErrorAction<S> =
  | { readonly action: "abort"; readonly error?: Error | undefined }
  | { readonly action: "skip"; readonly stateUpdate?: StateUpdate<S> | undefined }
  | { readonly action: "goto"; readonly nodeId: NodeId; readonly stateUpdate?: StateUpdate<S> | undefined }
  | { readonly action: "retry"; readonly delayMs?: number | undefined };

export type ErrorHandler<S> = (
  error: Error,
  context: ExecutionContext<S>,
) => NoInfer<ErrorAction<S>> | Promise<NoInfer<ErrorAction<S>>>;

/** The state's type comes from around a node, never from one result: it shows only a part of it. */
export type NodeBody<S> = (
  context: ExecutionContext<S>,
) => NoInfer<NodeResult<S>> | void | undefined | Promise<NoInfer<NodeResult<S>> | void | undefined>;

export interface NodeDefinition<S, Id extends string = string> {
  readonly id: Id;
  readonly type: NodeType;
  readonly execute?: NodeBody<S> | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly model?: string | undefined;
  readonly retry?: RetryConfig | undefined;
  /** A handler, or the id of the node to go to. */
  readonly onError?: ErrorHandler<S> | NodeId | undefined;
  /** An attempt that takes longer fails with NODE_TIMEOUT. */
  readonly timeoutMs?: number | undefined;
  /** Nodes this one may `goto`: they count as reachable, and validation checks them. */
  readonly targets?: readonly NodeId[] | undefined;
  /** Present on a parallel node. */
  readonly parallel?: ParallelSpec<S> | undefined;
  /** Present on a control node. */
  readonly control?: ControlSpec<S> | undefined;
  /** Present on a node that runs another graph; makes it part of the fingerprint. */
  readonly subgraph?: CompiledSubgraph | string | undefined;
}

export type ParallelStrategy = "all" | "race" | "any";

export interface ParallelSpec<S> {
  readonly branches: readonly ParallelBranch<S>[];
  readonly strategy: ParallelStrategy;
  /** Branches that run at the same time. */
  readonly concurrency: number;
  /** Pure. Replaces the fold of the branches' updates: gets them by branch name, and the state at the fork. */
  readonly merge?:
    | ((results: ReadonlyMap<string, StateUpdate<S>>, state: Readonly<S>) => ReturnedUpdate<S>)
    | undefined;
}

export interface ParallelBranch<S> {
  readonly name: string;
  /** A chain of nodes, or the id of a node of the same graph. */
  readonly nodes: readonly NodeDefinition<S>[] | NodeId;
}

/** Conditions are pure functions of the state. */
export type ControlSpec<S> =
  | { readonly kind: "pass" }
  | { readonly kind: "join"; readonly of: NodeId }
  | { readonly kind: "loop-entry"; readonly loop: string }
  | {
      readonly kind: "loop-check";
      readonly loop: string;
      readonly until: (state: Readonly<S>) => boolean;
      /** Undefined: the run's. */
      readonly maxIterations: number | undefined;
      readonly body: NodeId;
      readonly exit: NodeId;
    };
