// The agent port: what the rest of the program knows about coding agents. Backends implement backend-session.ts and
// get their session from guarded-session.ts, which keeps the promises made here:
// - Every turn ends with exactly one terminal event, whatever the program does, and no wait is without a limit.
// - No optional methods. What a backend can't do is in `capabilities`; calling it throws AGENT_CAPABILITY.
// - Tools run without asking. Only a question to the user pauses, and only the user's tools open or answer it.
// - After an interrupted or failed turn the session takes the next turn.
// - After `close` no process of the session, or of the client, is left.

import type { AgentTool } from "./agent-tool.ts";
import type { Capabilities } from "./capabilities.ts";
import type { AgentEvent } from "./events.ts";
import type { TurnLimits } from "./limits.ts";
import type { QuestionHandler, QuestionReply } from "./questions.ts";
import type { ToolRules } from "./tool-rules.ts";
import type { ToolServer } from "./tool-servers.ts";
import type { Usage } from "./usage.ts";

/** One backend, ready to open sessions. Programs start when they are first needed. */
export interface AgentClient {
  /** `claude`, `opencode`, `copilot`, `acp:<command>`, `scripted`, `replay`. */
  readonly kind: string;
  /** The agent's display name: the scripted one says here that it is not a model. */
  readonly label: string;
  readonly capabilities: Capabilities;
  /**
   * AGENT_UNAVAILABLE when the program is missing, too old or does not start; AGENT_SESSION_UNKNOWN for a bad `resume`;
   * AGENT_NEEDS_TRUST when the project is not trusted and the program can't be kept from obeying its settings.
   */
  open(options: OpenOptions): Promise<AgentSession>;
  models(): Promise<readonly ModelInfo[]>;
  /** What was found and whether it would work, for `doctor`. Never throws; sends nothing to a model. */
  check(): Promise<BackendReport>;
  /** Closes all sessions and ends all programs. Safe to call twice. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** The folder the agent works in. Absolute. */
  readonly cwd: string;
  /** Absent: the program's own default. */
  readonly model?: string | undefined;
  /** The id of an earlier session to continue. */
  readonly resume?: string | undefined;
  /** Who the agent is in this session: its name is shown, its prompt is added to the program's own instructions. */
  readonly agent?: AgentDefinition | undefined;
  /** Sub-agents the agent may start by name, beside those of the user's own configuration. */
  readonly subagents?: readonly AgentDefinition[] | undefined;
  readonly tools?: readonly AgentTool[] | undefined;
  /**
   * Whether the project's own settings, hooks, MCP servers and instruction files are loaded. Default: no.
   * The user's own always are.
   */
  readonly isProjectTrusted?: boolean | undefined;
  /** Answers the agent's questions. Absent: they stay open until `session.answer`, at most `limits.questionMs`. */
  readonly onQuestion?: QuestionHandler | undefined;
  readonly limits?: Partial<TurnLimits> | undefined;
}

export interface AgentDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  /** Instructions, beside the program's own. */
  readonly prompt: string;
  readonly model?: string | undefined;
  /** In order of preference, instead of `model`: the first that the backend has counts. */
  readonly models?: readonly string[] | undefined;
  /** Tools it may use, in lower case and in any program's words; absent: all. The question tool always is among them. */
  readonly tools?: readonly string[] | undefined;
  /** What these tools may do. Enforced where the backend can (`shellRules`, `toolRules`). */
  readonly toolRules?: ToolRules | undefined;
}

export interface AgentSession {
  /** The backend's own id: what `resume` takes, in this process or a later one. */
  readonly id: string;
  readonly model: string | undefined;
  /**
   * A turn starts when its events are first asked for, after the earlier turns of this session have ended. It can be
   * read once. Leaving the loop early interrupts it. Never throws for what an agent does: that is `turn.failed`.
   */
  turn(prompt: string, options?: TurnOptions): AsyncIterable<AgentEvent>;
  /** Answers an open question. QUESTION_UNKNOWN when it is gone, QUESTION_ANSWER_INVALID when the answer does not fit. */
  answer(questionId: string, reply: QuestionReply): void;
  /** Shortens the conversation, after the turns that are already queued. */
  compact(focus?: string): Promise<CompactResult>;
  contextUsage(): Promise<ContextUsage>;
  /** The agent's tool servers (MCP) in this session. */
  servers(): Promise<readonly ToolServer[]>;
  /** Switches one on or off, for this session. */
  switchServer(name: string, isOn: boolean): Promise<void>;
  /** The sum of this object's turns. */
  usage(): Usage;
  /** Interrupts what runs, drops what is queued, ends its program. Safe to call twice. */
  close(): Promise<void>;
}

export interface TurnOptions {
  /** Aborting it interrupts the turn. */
  readonly signal?: AbortSignal | undefined;
  /** For this turn only; absent: the session's. */
  readonly model?: string | undefined;
  /** For this turn only; absent: the session's. */
  readonly onQuestion?: QuestionHandler | undefined;
  /** Report the cost of each call, also where the program has to be asked for it. Default: at the end of the turn. */
  readonly reportsCost?: boolean | undefined;
  /** The workflow's task this turn is for. Real agents never see it; scripts select by it. */
  readonly task?: { readonly id: string; readonly title: string } | undefined;
}

export interface CompactResult {
  readonly beforeTokens?: number | undefined;
  readonly afterTokens?: number | undefined;
  /** What the agent keeps of the conversation, if it reports it. */
  readonly summary?: string | undefined;
}

export interface ContextUsage {
  readonly usedTokens: number;
  /** Absent when the program does not say how much the model takes. */
  readonly maxTokens?: number | undefined;
}

export interface ModelInfo {
  /** What `model` takes. */
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly contextTokens?: number | undefined;
}

export interface BackendReport {
  readonly kind: string;
  readonly isUsable: boolean;
  /** Where the program was found, and how. Absent for agents without one, and when none was found. */
  readonly program?:
    | { readonly path: string; readonly source: "setting" | "package" | "path"; readonly version: string | undefined }
    | undefined;
  readonly login: "ok" | "missing" | "unknown" | "not-needed";
  /** What is wrong and what to do, or what else a user should know. */
  readonly notes: readonly string[];
}
