// How nodes reach agents: the engine's side of the agent port. Backends, sessions and processes are behind it
// (src/agents). A node passes on what it knows about its own visit, so that a later attempt can continue in the same
// agent session and reap what a killed process left.

import type { Question } from "./question.ts";
import type { Json } from "../../../lib/json.ts";
import type { ReportedEvent } from "../../../events/reported-events.ts";
import type { ClientProvider } from "./client-source.ts";
import type { LoopRound } from "./key.ts";

/** What a node passes to the bridge about its attempt. */
export interface AgentCallContext {
  readonly node: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly attempt: {
    readonly number: number;
    /** How many earlier attempts failed; default 0. */
    readonly failures?: number | undefined;
    readonly previousNotes: readonly Json[];
    note(note: Json): Promise<void>;
    /** Stored with the next record. A context without it stores each note separately. */
    noteSoon?(note: Json): void;
  };
  /** Stored events: turn started, finished, usage. */
  record(event: ReportedEvent): void;
  /** Everything emitted so far is durable when it resolves. */
  flush(): Promise<void>;
  /** Shown and never stored: token deltas, tool output. */
  progress(type: string, data?: Json): void;
  /** Sleeps until a time that survives a restart. */
  sleepUntil(atMs: number): Promise<void>;
  ask(question: Question): Promise<Json>;
}

export interface SubagentSpawnOptions {
  /** The name of an agent definition; absent for a plain turn. */
  readonly agent?: string | undefined;
  /** The type of agent that takes the turn (`claude`, `opencode`, …); absent: the run's own. */
  readonly agentType?: string | undefined;
  /** Where the client of that type comes from; absent: the run's own clients. */
  readonly clientProvider?: ClientProvider | undefined;
  readonly task: string;
  /** The run's own session to take the turn in; absent: a fresh one that ends with the turn. */
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  /** What these tools may do, by name: `{ bash: ["git:*"] }`. */
  readonly toolRules?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly systemPrompt?: string | undefined;
  /** The folder to work in; absent: the run's own. */
  readonly cwd?: string | undefined;
  /** The workflow task this turn is for, by id. */
  readonly taskId?: string | undefined;
  /** Which of several workers takes the turn, from 1. */
  readonly worker?: number | undefined;
  /**
   * The iteration this turn is part of: a name, or the round of a loop. Each counts once against the run's limit of
   * iterations; work that is done only once does not count.
   */
  readonly iteration?: string | LoopRound | undefined;
  readonly context?: AgentCallContext | undefined;
  /**
   * This is the only turn of its context: once it is completed, a crash does not repeat it. Nodes with several turns
   * leave it out, or give each a separate context.
   */
  readonly isOnlyTurn?: boolean | undefined;
  /**
   * The step that takes this turn ends with it, so the end of the turn need not be durable before: both are stored in
   * one write, unless a limit of the run has to count the turn first.
   */
  readonly endsItsStep?: boolean | undefined;
}

/** Why a turn failed, in a form that retries and waits can use. */
export interface AgentFailure {
  readonly kind: string;
  readonly message: string;
  readonly retryable: boolean;
  /** When a limit ends, in milliseconds since the epoch. */
  readonly resetAt?: number | undefined;
}

export interface SubagentResult {
  readonly success: boolean;
  readonly output: string;
  readonly error?: string | undefined;
  readonly failure?: AgentFailure | undefined;
  /** The agent could not even be started: its program is missing, or does not work here. */
  readonly isUnavailable?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly modelUsed?: string | undefined;
  readonly usage?:
    | { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number | undefined }
    | undefined;
}

export interface SessionContextUsage {
  readonly usedTokens: number;
  readonly maxTokens: number;
}

export interface WorkflowBridge {
  spawn(agent: SubagentSpawnOptions, abortSignal?: AbortSignal): Promise<SubagentResult>;
  spawnParallel(agents: readonly SubagentSpawnOptions[], abortSignal?: AbortSignal): Promise<SubagentResult[]>;
  /** How full the context of one of the run's sessions is; undefined if the backend does not report it. */
  contextUsage(session: string): Promise<SessionContextUsage | undefined>;
  /** Clears that session. */
  clearSession(session: string): Promise<void>;
  compactSession(session: string): Promise<void>;
}
