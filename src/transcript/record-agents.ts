// Turns live events of agents into entries of the transcript: complete messages instead of deltas, each text clipped,
// with the duration and the changed lines of each tool call.

import type { AgentProgress, TurnPlace } from "../agents/agent-progress.ts";
import { clip, clipJson } from "../agents/clip.ts";
import type { AgentEvent, TerminalEvent, ToolFinished, ToolStarted } from "../agents/events.ts";
import type { DeclineReason } from "../agents/questions.ts";
import { type FileChange, sumOfLines, toolChanges } from "../agents/tool-changes.ts";
import type { Clock } from "../lib/clock.ts";
import type { Json } from "../lib/json.ts";
import type { TranscriptFacts } from "./transcript-entry.ts";

const maxPromptChars = 65_536;
const maxTextChars = 65_536;
const maxThoughtChars = 16_384;
const maxOutputChars = 8_192;
const maxInputChars = 4_096;
/** Agents may put a whole command where a tool has its name. */
const maxNameChars = 1_024;
/** Of a list of changed files, with what each path takes besides. */
const maxPathChars = 65_536;
const perPathChars = 32;

interface OpenTool {
  readonly startedAt: number;
  readonly input: Json;
}

interface OpenTurn {
  readonly tools: Map<string, OpenTool>;
  readonly changes: Map<string, FileChange>;
  /** Reasoning so far, by agent. */
  readonly thoughts: Map<string, string>;
}

/** A run that pauses for an answer has not declined: the question is still open. */
const unanswered: Readonly<Record<DeclineReason, string>> = {
  declined: "the question was declined",
  interrupted: "the turn was stopped before the question was answered",
  timeout: "the question was not answered in time",
  failed: "the question could not be answered",
};

/**
 * Deltas, of which there can be thousands before the complete message, and measurements, which the end of a turn sums
 * up.
 */
const leftOut: ReadonlySet<AgentEvent["type"]> = new Set([
  "text.delta",
  "tool.progressed",
  "usage.reported",
  "model.served",
  "context.measured",
]);

export function isLeftOut({ type }: AgentEvent): boolean {
  return leftOut.has(type);
}

export class AgentRecorder {
  readonly #addAt: (facts: TranscriptFacts, at: number) => void;
  readonly #clock: Clock;
  readonly #turns = new Map<string, OpenTurn>();
  /** The time of the event that is being recorded. */
  #at = 0;

  constructor(add: (facts: TranscriptFacts, at: number) => void, clock: Clock) {
    this.#addAt = add;
    this.#clock = clock;
  }

  /** `at`: when it happened. Default: now. */
  take({ place, event }: AgentProgress, at: number = this.#clock.now()): void {
    if (isLeftOut(event)) return;
    this.#at = at;
    const turn = this.#turnOf(event.turnId);
    if (event.type === "reasoning.delta") return noteThought(turn, event.agentId ?? "", event.text);
    this.#addThoughts(turn, event);
    this.#takeWhole(turn, place, event);
  }

  #add(facts: TranscriptFacts): void {
    this.#addAt(facts, this.#at);
  }

  #turnOf(id: string): OpenTurn {
    const known = this.#turns.get(id);
    if (known !== undefined) return known;
    const turn: OpenTurn = { tools: new Map(), changes: new Map(), thoughts: new Map() };
    this.#turns.set(id, turn);
    return turn;
  }

  #addThoughts(turn: OpenTurn, event: AgentEvent): void {
    const agentId = event.agentId ?? "";
    const thought = turn.thoughts.get(agentId);
    if (thought === undefined) return;
    turn.thoughts.delete(agentId);
    this.#add({ type: "thought", ...ids(event), text: clip(thought, maxThoughtChars) });
  }

  #takeWhole(turn: OpenTurn, place: TurnPlace, event: AgentEvent): void {
    switch (event.type) {
      case "turn.started":
        return this.#add(startOf(place, event.turnId, event.modelAsked));
      case "message.finished":
        return this.#add({ type: "said", ...ids(event), text: clip(event.text, maxTextChars) });
      case "tool.started":
        return this.#startTool(turn, event);
      case "tool.finished":
        return this.#finishTool(turn, event);
      case "subagent.started": {
        const { turnId, agentId, parentId, name, task } = event;
        const parent = parentId === undefined ? {} : { parentId };
        return this.#add({
          type: event.type,
          turn: turnId,
          agentId,
          ...parent,
          name: clip(name, maxNameChars),
          task: clip(task, maxInputChars),
        });
      }
      case "subagent.finished": {
        const { turnId, agentId, outcome, text } = event;
        return this.#add({ type: event.type, turn: turnId, agentId, outcome, text: clip(text, maxOutputChars) });
      }
      case "notice.raised":
        return this.#notice(event, event.message);
      case "retry.scheduled":
        return this.#notice(event, `tries again: ${event.failure.message}`);
      case "model.substituted":
        return this.#notice(event, `${event.served} answers instead of ${event.asked}`);
      case "question.asked":
        return this.#notice(event, `asks: ${event.question.items.map(({ text }) => text).join(" / ")}`);
      case "question.answered":
        return this.#notice(event, `answered: ${event.answers.map((values) => values.join(", ")).join(" / ")}`);
      case "question.declined":
        return this.#notice(event, unanswered[event.reason]);
      case "context.compacted":
        return this.#notice(event, "the conversation was shortened");
      case "turn.completed":
      case "turn.failed":
      case "turn.interrupted":
        this.#turns.delete(event.turnId);
        return this.#add(endOf(event, clipChanges([...turn.changes.values()])));
      case "text.delta":
      case "reasoning.delta":
      case "tool.progressed":
      case "usage.reported":
      case "model.served":
      case "context.measured":
        return;
    }
  }

  #notice(event: AgentEvent, message: string): void {
    this.#add({ type: "noticed", ...ids(event), text: clip(message, maxInputChars) });
  }

  #startTool(turn: OpenTurn, event: ToolStarted): void {
    const { toolCallId, name, kind, input } = event;
    turn.tools.set(toolCallId, { startedAt: this.#at, input });
    this.#add({
      type: "tool.started",
      ...ids(event),
      call: toolCallId,
      name: clip(name, maxNameChars),
      kind,
      input: clipJson(input, maxInputChars),
    });
  }

  #finishTool(turn: OpenTurn, event: ToolFinished): void {
    const { toolCallId, name, outcome, output, outputChars, exitCode } = event;
    const tool = turn.tools.get(toolCallId);
    turn.tools.delete(toolCallId);
    // A client that is not one of Atomic's own may leave the counting to the reader.
    const changes = outcome === "ok" ? (event.changes ?? toolChanges(tool?.input ?? null)) : [];
    for (const change of changes) turn.changes.set(change.path, sumOf(turn.changes.get(change.path), change));
    this.#add({
      type: "tool.finished",
      ...ids(event),
      call: toolCallId,
      name: clip(name, maxNameChars),
      outcome,
      output: clip(output, maxOutputChars),
      outputChars,
      ...(exitCode !== undefined && { exitCode }),
      // The clock may have been set back since.
      durationMs: tool === undefined ? 0 : Math.max(0, this.#at - tool.startedAt),
      ...(changes.length > 0 && { changes: clipChanges(changes) }),
    });
  }
}

/** Files that are too many to list are one item, so that the sums stay right. */
function clipChanges(changes: readonly FileChange[]): readonly FileChange[] {
  let chars = 0;
  const end = changes.findIndex(({ path }) => (chars += path.length + perPathChars) > maxPathChars);
  if (end === -1) return changes;
  const rest = changes.slice(end);
  return [...changes.slice(0, end), { path: `… ${rest.length} more`, ...sumOfLines(rest) }];
}

function noteThought(turn: OpenTurn, agentId: string, text: string): void {
  const before = turn.thoughts.get(agentId) ?? "";
  // Anything over the limit is clipped anyway, and a model may reason for an hour.
  if (before.length < 2 * maxThoughtChars) turn.thoughts.set(agentId, before + text);
}

function startOf(place: TurnPlace, turn: string, modelAsked: string | undefined): TranscriptFacts {
  const { agent, backend, node, key, task, worker, prompt } = place;
  return {
    type: "turn.started",
    turn,
    agent,
    backend,
    ...(node !== undefined && { node }),
    ...(key !== undefined && { key }),
    ...(task !== undefined && { task }),
    ...(worker !== undefined && { worker }),
    modelAsked: modelAsked ?? null,
    prompt: clip(prompt, maxPromptChars),
  };
}

function endOf(end: TerminalEvent, changes: readonly FileChange[]): TranscriptFacts {
  const outcomes = {
    "turn.completed": "completed",
    "turn.failed": "failed",
    "turn.interrupted": "interrupted",
  } as const;
  return {
    type: "turn.finished",
    turn: end.turnId,
    outcome: outcomes[end.type],
    answer: clip(end.text, maxTextChars),
    ...(end.type === "turn.failed" && { failure: clip(end.failure.message, maxInputChars) }),
    modelServed: end.modelServed ?? null,
    usage: { ...end.usage, costUsd: end.usage.costUsd ?? null },
    durationMs: end.durationMs,
    changes,
  };
}

function ids(event: AgentEvent): { readonly turn: string; readonly agentId?: string } {
  return { turn: event.turnId, ...(event.agentId !== undefined && { agentId: event.agentId }) };
}

function sumOf(before: FileChange | undefined, more: FileChange): FileChange {
  if (before === undefined) return more;
  return { path: more.path, added: before.added + more.added, removed: before.removed + more.removed };
}
