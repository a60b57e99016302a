// How a chat looks: immutable data that every client shows. `blocks` are finished and come from the record only, so that
// a chat looks the same live and after it was continued; `live` is what is being written at the moment.

import type { AgentQuestion } from "../agents/questions.ts";
import type { QueuedLine } from "./chat-event.ts";

export type ChatBlock =
  | { readonly kind: "person"; readonly id: string; readonly text: string; readonly agent?: string | undefined }
  | { readonly kind: "said"; readonly id: string; readonly text: string }
  | { readonly kind: "thought"; readonly id: string; readonly text: string }
  | ToolBlock
  | SubagentBlock
  | { readonly kind: "asked"; readonly id: string; readonly question: string; readonly answer?: string | undefined }
  | { readonly kind: "notice"; readonly id: string; readonly level: "info" | "warning"; readonly text: string }
  | { readonly kind: "compacted"; readonly id: string; readonly summary: string }
  /** A turn that did not complete. */
  | { readonly kind: "ended"; readonly id: string; readonly outcome: "failed" | "interrupted"; readonly text: string };

export interface ToolBlock {
  readonly kind: "tool";
  readonly id: string;
  /** The program's own name of the tool. */
  readonly name: string;
  /** What it works on: a path, a command. */
  readonly title: string;
  readonly state: "running" | "ok" | "failed" | "interrupted";
  readonly output: string;
  readonly startedAt: number;
  readonly ms?: number | undefined;
  /** Lines of a change. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  readonly exitCode?: number | undefined;
}

export interface SubagentBlock {
  readonly kind: "subagent";
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly state: "running" | "completed" | "failed" | "interrupted";
  /** What it does now; at the end, what it answered. */
  readonly text: string;
  readonly tools: number;
  readonly isBackground: boolean;
  readonly startedAt: number;
  readonly ms?: number | undefined;
}

export interface ChatTurnView {
  readonly id: string;
  readonly startedAt: number;
  /** What is waited for. */
  readonly phase: "starting" | "working" | "asking" | "stopping" | "compacting";
}

export interface ChatView {
  readonly id: string;
  readonly cwd: string;
  /** As it is shown. */
  readonly agent: string;
  /** The model that was asked for; undefined: the agent's default. */
  readonly model: string | undefined;
  /** The model that answered last, if the agent reports it. */
  readonly modelServed: string | undefined;
  readonly isProjectTrusted: boolean;
  readonly blocks: readonly ChatBlock[];
  readonly live: readonly ChatBlock[];
  readonly queue: readonly QueuedLine[];
  readonly questions: readonly AgentQuestion[];
  readonly turn: ChatTurnView | undefined;
  readonly costUsd: number;
  readonly tokens: number;
  /** How long turns took, those before this start included. */
  readonly workedMs: number;
  readonly context: { readonly used: number; readonly max?: number | undefined } | undefined;
}

export function emptyChat(facts: Pick<ChatView, "id" | "cwd" | "agent" | "model" | "isProjectTrusted">): ChatView {
  return {
    ...facts,
    modelServed: undefined,
    blocks: [],
    live: [],
    queue: [],
    questions: [],
    turn: undefined,
    costUsd: 0,
    tokens: 0,
    workedMs: 0,
    context: undefined,
  };
}
