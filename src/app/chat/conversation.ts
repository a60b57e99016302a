// What a conversation with an agent offers, and what it needs; chat.ts implements it.

import type { AgentProgress } from "../../agents/agent-progress.ts";
import type { AgentClient, ModelInfo } from "../../agents/port.ts";
import type { AgentQuestion, QuestionReply } from "../../agents/questions.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";
import type { ChatEvent, QueuedLine } from "../../chat/chat-event.ts";
import type { ChatBlock, ChatView } from "../../chat/chat-view.ts";
import type { JournalEvent, StoredEvent } from "../../journal/port.ts";
import type { Clock } from "../../lib/clock.ts";
import type { StreamRedactor } from "../../lib/redact.ts";
import type { ChatLimits } from "./chat-cap.ts";
import type { ChatRecord } from "./chat-record.ts";
import type { ChatSessions } from "./chat-session.ts";

export interface ChatPorts {
  readonly client: Pick<AgentClient, "kind" | "models" | "close">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: ((text: string) => string) | undefined;
  readonly createStreamRedactor: (() => StreamRedactor) | undefined;
  readonly limits: ChatLimits;
  /** What the agent does, for the transcript. */
  readonly onProgress: (progress: AgentProgress) => void;
  readonly sessions: (notes: Pick<TurnPorts, "record" | "notice">) => ChatSessions;
  /** Makes the record, or takes it over from the process before. */
  readonly openRecord: (prompt: string, model: string | undefined, onEvent: FoldEvent) => Promise<ChatRecord>;
}

type FoldEvent = (event: StoredEvent) => void;

interface TurnPorts {
  readonly record: (...events: readonly (ChatEvent | JournalEvent)[]) => Promise<void>;
  readonly notice: (text: string) => Promise<void>;
}

export interface Turn {
  /** As the user wrote it. */
  readonly line: string;
  /** What the agent gets, where that is something else. */
  readonly prompt?: string | undefined;
  /** Said before the agent answers. */
  readonly opening?: string | undefined;
  /** The name of the skill whose prompt it is. */
  readonly skill?: string | undefined;
  /** These agents take the turn in parallel, each in a separate session. */
  readonly agents?: readonly Parameters<ChatSessions["open"]>[0][] | undefined;
}

/** What a workflow may do in the conversation while it runs there. */
export interface WorkFeed {
  say(text: string): Promise<void>;
  /** What runs at the moment. */
  show(live: readonly ChatBlock[]): void;
  ask(question: AgentQuestion): Promise<QuestionReply>;
  /**
   * It has its answer, from here or from elsewhere: the user is no longer asked, and both stay in the conversation. An
   * `ask` that still waits is declined.
   */
  answered(questionId: string, question: string, answer: string): Promise<void>;
}

export interface Work {
  /** As the user wrote it. */
  readonly line: string;
  readonly onInterrupt: () => void;
  body(feed: WorkFeed): Promise<{ readonly outcome: TurnOutcome; readonly message?: string | undefined }>;
}

export type TurnOutcome = "completed" | "failed" | "interrupted";

export interface Conversation {
  readonly view: ChatView;
  onChange(listener: () => void): () => void;
  /** Takes the record of an earlier process. Throws RUN_OWNED while that one lives. */
  resume(): Promise<void>;
  /** Resolves when the turn has ended. Throws nothing for what an agent does. */
  turn(turn: Turn): Promise<TurnOutcome>;
  /** Runs a workflow in the conversation instead of a turn of the chat's agent. */
  work(work: Work): Promise<TurnOutcome>;
  /** False when nothing runs. */
  interrupt(): boolean;
  /** Throws QUESTION_UNKNOWN and QUESTION_ANSWER_INVALID. */
  answer(questionId: string, reply: QuestionReply): void;
  setQueue(queue: readonly QueuedLine[]): Promise<void>;
  setModel(model: string): Promise<void>;
  models(): Promise<readonly ModelInfo[]>;
  /** Opens the agent's session where it is not open yet; asks no model. Throws AGENT_CAPABILITY. */
  servers(): Promise<readonly ToolServer[]>;
  switchServer(name: string, isOn: boolean): Promise<void>;
  /** What was shortened, in words: a line, and below it what the agent keeps, if it tells. Throws AGENT_CAPABILITY. */
  compact(focus: string | undefined): Promise<string>;
  clear(): Promise<void>;
  /** Shown, and not kept. */
  show(block: ChatBlock): void;
  /** Resolves when another process has paused the chat. The next message continues it. */
  readonly paused: Promise<void>;
  close(): Promise<void>;
}
