// What the record of a chat holds beside what every run's does (`run.started`, `run.paused`, `agent.turn-finished`). A
// chat is kept like a run: one journal, one owner, one folder. Each finished piece of a turn is a separate event, so
// that a killed process loses at most the piece that was being written.

import type { StoredEvent } from "../journal/port.ts";
import type { JsonObject } from "../lib/json.ts";
import {
  amount,
  checkShape,
  flag,
  list,
  object,
  oneOf,
  optional,
  type Shape,
  type ShapeOf,
  text,
} from "../lib/shape.ts";

/** The name under which `atomic sessions` lists a chat. */
export const chatWorkflow = "chat";

const queued = object({ id: text(), line: text() });

const shapes = {
  /** A message on its way to the agent; its turn begins. */
  "chat.prompted": object({
    turn: text(),
    /** What the user wrote. */
    line: text(),
    /** What the agent gets, where that is something else: a skill's prompt. */
    prompt: optional(text()),
    /** The skill or command whose prompt it is. */
    skill: optional(text()),
    /** The sub-agent that takes the turn. */
    agent: optional(text()),
  }),
  "chat.session-opened": object({ agent: text(), session: text(), isContinued: flag() }),
  "chat.said": object({ turn: text(), id: text(), text: text() }),
  "chat.thought": object({ turn: text(), id: text(), text: text() }),
  "chat.tool-finished": object({
    turn: text(),
    id: text(),
    name: text(),
    title: text(),
    outcome: oneOf(["ok", "failed", "interrupted"]),
    output: text(),
    ms: amount(),
    added: optional(amount()),
    removed: optional(amount()),
    exitCode: optional(amount()),
  }),
  "chat.subagent-finished": object({
    turn: text(),
    id: text(),
    name: text(),
    task: text(),
    outcome: oneOf(["completed", "failed", "interrupted"]),
    text: text(),
    tools: amount(),
    isBackground: flag(),
    ms: amount(),
  }),
  /** A question with what became of it. */
  "chat.asked": object({ turn: text(), id: text(), question: text(), answer: optional(text()) }),
  "chat.turn-ended": object({
    turn: text(),
    outcome: oneOf(["completed", "failed", "interrupted"]),
    message: optional(text()),
    ms: amount(),
  }),
  "chat.queue-changed": object({ queue: list(queued) }),
  "chat.model-chosen": object({ model: text() }),
  "chat.context-measured": object({ used: amount(), max: optional(amount()) }),
  "chat.compacted": object({ summary: text() }),
  "chat.cleared": object({}),
  "chat.noticed": object({ id: text(), level: oneOf(["info", "warning"]), text: text() }),
} as const satisfies Readonly<Record<string, Shape<object>>>;

type Shapes = typeof shapes;

/** A message that waits for the turn before it. */
export type QueuedLine = ShapeOf<typeof queued>;

/** As it is appended. */
export type ChatEvent = { [Type in keyof Shapes]: { readonly type: Type } & ShapeOf<Shapes[Type]> }[keyof Shapes];

const known: ReadonlyMap<string, Shape<object>> = new Map(Object.entries(shapes));

/** Undefined for an event of a run in general, of a later version, or of none. */
export function readChatEvent(stored: StoredEvent): ChatEvent | undefined {
  const shape = known.get(stored.type);
  if (shape === undefined) return undefined;
  const checked = checkShape(shape, stored);
  return "value" in checked ? ({ type: stored.type, ...checked.value } as ChatEvent) : undefined;
}

/** As the journal takes it. */
export function chatRecord(event: ChatEvent): JsonObject & { readonly type: string } {
  const defined = Object.entries(event).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(defined), type: event.type };
}
