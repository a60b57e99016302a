// The fold of a chat's record. Pure: the same record gives the same view, live and after a restart. A turn that has no
// end on record belongs to a process that was killed; the next `run.started` closes it as interrupted.

import type { StoredEvent } from "../journal/port.ts";
import { readChatEvent, type ChatEvent } from "./chat-event.ts";
import type { ChatBlock, ChatView } from "./chat-view.ts";

export function foldRecord(view: ChatView, stored: StoredEvent): ChatView {
  if (stored.type === "run.started") return foldStart(view, stored);
  if (stored.type === "agent.turn-finished") return foldUsage(view, stored);
  const event = readChatEvent(stored);
  return event === undefined ? view : foldEvent(view, event, stored);
}

function foldEvent(view: ChatView, event: ChatEvent, { at, seq }: StoredEvent): ChatView {
  switch (event.type) {
    case "chat.prompted": {
      const begun: ChatView = { ...view, turn: { id: event.turn, startedAt: at, phase: "starting" }, live: [] };
      const asked = withBlock(begun, { kind: "person", id: event.turn, text: event.line, agent: event.agent });
      if (event.skill === undefined) return asked;
      const text = `Skill loaded: ${event.skill}`;
      return withBlock(asked, { kind: "notice", id: `${event.turn}-skill`, level: "info", text });
    }
    case "chat.session-opened":
      return view;
    case "chat.said":
      return withBlock(view, { kind: "said", id: event.id, text: event.text });
    case "chat.thought":
      return withBlock(view, { kind: "thought", id: event.id, text: event.text });
    case "chat.tool-finished": {
      const { type: _, turn: __, outcome, ...facts } = event;
      return withBlock(view, { kind: "tool", ...facts, state: outcome, startedAt: at - event.ms });
    }
    case "chat.subagent-finished": {
      const { type: _, turn: __, outcome, ...facts } = event;
      return withBlock(view, { kind: "subagent", ...facts, state: outcome, startedAt: at - event.ms });
    }
    case "chat.asked": {
      const questions = view.questions.filter(({ id }) => id !== event.id);
      const asked = { kind: "asked", id: event.id, question: event.question, answer: event.answer } as const;
      return withBlock({ ...view, questions }, asked);
    }
    case "chat.turn-ended":
      return foldEnd(view, event);
    case "chat.queue-changed":
      return { ...view, queue: event.queue };
    case "chat.model-chosen":
      return { ...view, model: event.model, modelServed: undefined };
    case "chat.context-measured":
      return { ...view, context: { used: event.used, max: event.max } };
    case "chat.compacted":
      return withBlock(view, { kind: "compacted", id: `compacted-${seq}`, summary: event.summary });
    case "chat.cleared":
      return { ...view, blocks: [], live: [], context: undefined };
    case "chat.noticed":
      return withBlock(view, { kind: "notice", id: event.id, level: event.level, text: event.text });
  }
}

function foldStart(view: ChatView, stored: StoredEvent): ChatView {
  const { model, agent, isProjectTrusted } = stored;
  const killed = view.turn;
  const now: ChatView = {
    ...view,
    turn: undefined,
    live: [],
    questions: [],
    agent: typeof agent === "string" ? agent : view.agent,
    model: typeof model === "string" ? model : view.model,
    isProjectTrusted: isProjectTrusted === true,
  };
  if (killed === undefined) return now;
  const text = "The program was ended in the middle of this turn.";
  return withBlock(now, { kind: "ended", id: `${killed.id}-end`, outcome: "interrupted", text });
}

function foldEnd(view: ChatView, event: Extract<ChatEvent, { readonly type: "chat.turn-ended" }>): ChatView {
  const over: ChatView = {
    ...view,
    turn: undefined,
    live: [],
    questions: [],
    workedMs: view.workedMs + event.ms,
  };
  if (event.outcome === "completed") return over;
  const text = event.message ?? (event.outcome === "failed" ? "The turn failed." : "Stopped.");
  return withBlock(over, { kind: "ended", id: `${event.turn}-end`, outcome: event.outcome, text });
}

/** The finished block takes the place of the one that was being written. */
function withBlock(view: ChatView, block: ChatBlock): ChatView {
  return {
    ...view,
    blocks: [...view.blocks, block],
    live: view.live.filter(({ id, kind }) => id !== block.id || kind !== block.kind),
  };
}

function foldUsage(view: ChatView, { usage, modelServed, session }: StoredEvent): ChatView {
  if (typeof usage !== "object" || usage === null || Array.isArray(usage)) return view;
  const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  const used = usage as Readonly<Record<string, unknown>>;
  const tokens =
    count(used["inputTokens"]) +
    count(used["outputTokens"]) +
    count(used["cacheReadTokens"]) +
    count(used["cacheWriteTokens"]);
  return {
    ...view,
    tokens: view.tokens + tokens,
    costUsd: view.costUsd + count(used["costUsd"]),
    // A sub-agent may have another model than the chat.
    modelServed: typeof modelServed === "string" && session === "main" ? modelServed : view.modelServed,
  };
}
