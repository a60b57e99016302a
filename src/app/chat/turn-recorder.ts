// One turn of a chat, from the agent's events to what is shown and what is put on record. Text is cut where a tool or a
// question comes in between, so that a chat reads in the order things happened, whatever a program calls one message.
// Secrets are masked in both: by whole texts on the record, by streams on the screen.

import type { AgentEvent, ToolStarted } from "../../agents/events.ts";
import { clip } from "../../agents/clip.ts";
import type { AgentQuestion } from "../../agents/questions.ts";
import type { ChatEvent } from "../../chat/chat-event.ts";
import { sumOfLines, toolChange, toolDiff } from "../../agents/tool-changes.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import { toJson } from "../../lib/json.ts";
import type { StreamRedactor } from "../../lib/redact.ts";

export interface TurnRecorderOptions {
  readonly turn: string;
  readonly now: () => number;
  readonly redact: ((text: string) => string) | undefined;
  readonly createStreamRedactor: (() => StreamRedactor) | undefined;
}

export interface Taken {
  /** As it may be shown; undefined: nothing to show. */
  readonly shown: AgentEvent | undefined;
  /** What is finished by it, in order. To be recorded before `shown` is folded. */
  readonly records: readonly ChatEvent[];
}

interface OpenText {
  readonly kind: "said" | "thought";
  /** Of the part that is open. */
  id: string;
  text: string;
  /** Of the parts before. */
  recorded: string;
  part: number;
  mask: StreamRedactor | undefined;
}

interface OpenTool {
  readonly event: ToolStarted;
  readonly startedAt: number;
}

interface OpenSubagent {
  readonly name: string;
  readonly task: string;
  readonly startedAt: number;
  readonly isBackground: boolean;
  tools: number;
}

/** What a user reads of a tool's output; programs keep the rest themselves. */
const keptOutputChars = 8192;

export function createTurnRecorder(options: TurnRecorderOptions): { take(event: AgentEvent): Taken } {
  const { turn, now } = options;
  const redact = options.redact ?? ((text: string) => text);
  const texts = new Map<string, OpenText>();
  const tools = new Map<string, OpenTool>();
  const outputs = new Map<string, StreamRedactor>();
  const subagents = new Map<string, OpenSubagent>();
  const questions = new Map<string, AgentQuestion>();
  /** Tool calls that a sub-agent stands for. */
  const shownAsSubagents = new Set<string>();

  function openText(kind: OpenText["kind"], messageId: string): OpenText {
    const key = `${kind} ${messageId}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const made: OpenText = {
      kind,
      id: `${messageId}.0`,
      text: "",
      recorded: "",
      part: 0,
      mask: options.createStreamRedactor?.(),
    };
    texts.set(key, made);
    return made;
  }

  function closePart(open: OpenText): readonly ChatEvent[] {
    const { kind, id, text } = open;
    open.recorded += text;
    open.text = "";
    open.part++;
    open.id = id.replace(/\d+$/, String(open.part));
    open.mask = options.createStreamRedactor?.();
    if (text.trim() === "") return [];
    const type = kind === "said" ? "chat.said" : "chat.thought";
    return [{ type, turn, id, text: redact(text) }];
  }

  const closeTexts = (): readonly ChatEvent[] => [...texts.values()].flatMap(closePart);

  function delta(event: Extract<AgentEvent, { type: "text.delta" | "reasoning.delta" }>): Taken {
    const open = openText(event.type === "text.delta" ? "said" : "thought", event.messageId);
    open.text += event.text;
    const text = open.mask === undefined ? event.text : open.mask.push(event.text);
    return { records: [], shown: text === "" ? undefined : { ...event, messageId: open.id, text } };
  }

  function finishTool(event: Extract<AgentEvent, { type: "tool.finished" }>): readonly ChatEvent[] {
    const started = tools.get(event.toolCallId);
    tools.delete(event.toolCallId);
    if (started === undefined || shownAsSubagents.has(event.toolCallId) || started.event.kind === "question") return [];
    const { name, input, kind } = started.event;
    const diff = kind === "write" && event.outcome === "ok" ? toolDiff(input) : undefined;
    return [
      {
        type: "chat.tool-finished",
        turn,
        id: event.toolCallId,
        name,
        title: redact(toolTitle(input)),
        outcome: event.outcome,
        output: redact(clip(diff ?? event.output, keptOutputChars)),
        ms: Math.max(0, now() - started.startedAt),
        ...(event.changes === undefined ? toolChange(input) : sumOfLines(event.changes)),
        ...(event.exitCode !== undefined && { exitCode: event.exitCode }),
      },
    ];
  }

  function finishSubagent(event: Extract<AgentEvent, { type: "subagent.finished" }>): readonly ChatEvent[] {
    const started = subagents.get(event.agentId);
    subagents.delete(event.agentId);
    if (started === undefined) return [];
    const { name, task, tools, isBackground, startedAt } = started;
    const text = redact(clip(event.text, keptOutputChars));
    const ms = Math.max(0, now() - startedAt);
    const facts = { id: event.agentId, name, task: redact(clip(task, 2000)), tools, isBackground, ms };
    return [{ type: "chat.subagent-finished", turn, ...facts, outcome: event.outcome, text }];
  }

  function closeQuestion(id: string, answer: string | undefined): readonly ChatEvent[] {
    const question = questions.get(id);
    questions.delete(id);
    if (question === undefined) return [];
    const text = question.items.map((item) => item.text).join("\n");
    return [
      { type: "chat.asked", turn, id, question: redact(text), ...(answer !== undefined && { answer: redact(answer) }) },
    ];
  }

  function ofSubagent(event: AgentEvent): Taken {
    const known = subagents.get(event.agentId ?? "");
    if (event.type === "tool.started" && known !== undefined) known.tools++;
    return { shown: event, records: [] };
  }

  return {
    take(event) {
      switch (event.type) {
        case "subagent.started": {
          const { name, task, isBackground, toolCallId } = event;
          subagents.set(event.agentId, { name, task, isBackground, startedAt: now(), tools: 0 });
          if (toolCallId !== undefined) shownAsSubagents.add(toolCallId);
          return { shown: event, records: closeTexts() };
        }
        case "subagent.finished":
          return { shown: event, records: finishSubagent(event) };
        case "question.asked":
          questions.set(event.question.id, event.question);
          return { shown: event, records: closeTexts() };
        case "question.answered":
          return { shown: event, records: closeQuestion(event.questionId, event.answers.flat().join(", ")) };
        case "question.declined":
          return { shown: event, records: closeQuestion(event.questionId, undefined) };
        default:
      }
      if (event.agentId !== undefined) return ofSubagent(event);
      switch (event.type) {
        case "text.delta":
        case "reasoning.delta":
          return delta(event);
        case "message.finished": {
          const open = openText("said", event.messageId);
          // A program that does not stream says it all at once.
          if (event.text.startsWith(open.recorded)) open.text = event.text.slice(open.recorded.length);
          return { shown: undefined, records: closePart(open) };
        }
        case "tool.started": {
          tools.set(event.toolCallId, { event, startedAt: now() });
          // The user sees the question itself.
          if (event.kind === "question") return { shown: undefined, records: closeTexts() };
          const input = toJson(event.input, { source: "the agent", path: "", redact: options.redact });
          return { shown: { ...event, input }, records: closeTexts() };
        }
        case "tool.progressed": {
          const { createStreamRedactor } = options;
          if (createStreamRedactor === undefined) return { shown: event, records: [] };
          const mask = outputs.get(event.toolCallId) ?? createStreamRedactor();
          outputs.set(event.toolCallId, mask);
          return { shown: { ...event, output: mask.push(event.output) }, records: [] };
        }
        case "tool.finished":
          return { shown: event, records: finishTool(event) };
        case "context.measured": {
          const { usedTokens: used, maxTokens: max } = event;
          return {
            shown: event,
            records: [{ type: "chat.context-measured", used, ...(max !== undefined && { max }) }],
          };
        }
        case "notice.raised": {
          const text = redact(event.message);
          const id = `${turn}-notice-${now()}`;
          return { shown: undefined, records: [{ type: "chat.noticed", id, level: event.level, text }] };
        }
        case "model.substituted": {
          const text = `The agent was asked for ${event.asked} and answers with ${event.served}.`;
          return {
            shown: event,
            records: [{ type: "chat.noticed", id: `${turn}-model`, level: "warning", text }],
          };
        }
        case "retry.scheduled": {
          const text = `${redact(event.failure.message)} Trying again (${event.attempt}).`;
          const id = `${turn}-retry-${event.attempt}`;
          return { shown: event, records: [{ type: "chat.noticed", id, level: "warning", text }] };
        }
        case "turn.completed":
        case "turn.failed":
        case "turn.interrupted":
          return {
            shown: event,
            records: [...closeTexts(), ...[...questions.keys()].flatMap((id) => closeQuestion(id, undefined))],
          };
        default:
          return { shown: event, records: [] };
      }
    },
  };
}
