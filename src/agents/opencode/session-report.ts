// What one session of OpenCode says during a turn, reported to the turn's sink: the agent's own session, or a
// sub-agent's. Anything may arrive twice (as an event, and when the state is read after a gap), so each thing is
// reported once. Only answers to prompts of this turn count: late events of earlier ones must not end or change it.

import type { TurnSink } from "../backend-session.ts";
import type { Usage } from "../usage.ts";
import type { PartDelta } from "./parse-event.ts";
import { printedSoFar, toolInput, opencodeToolKind, toolOutcome } from "./tool-part.ts";
import type { OpencodeAssistantMessage, Message, Part, TokenCounts, ToolPart } from "./wire.ts";

type StepPart = Extract<Part, { type: "step-finish" }>;
type Listener = Pick<TurnSink, "emit" | "touch">;

export interface SessionReportOptions {
  readonly sink: Listener;
  /** The sub-agent; undefined: the agent of the session. */
  readonly agentId: string | undefined;
  /** Ids of the prompts that are known. New ones are of this turn, and are added. */
  readonly seenPrompts: Set<string>;
  /** A tool's part, after its start and before its end is reported: a `task` brings a sub-agent. */
  readonly onTool: (part: ToolPart) => void;
  /** The turn is being stopped. */
  readonly isStopping: () => boolean;
}

export interface SessionReport {
  message(message: Message): void;
  part(part: Part): void;
  delta(event: PartDelta): void;
  /** OpenCode asks the model again: what it wrote of this answer counts no more. */
  restart(): void;
  /** The newest answer to the newest prompt of this turn. */
  readonly answer: OpencodeAssistantMessage | undefined;
  /** Whether the prompt is of this turn. */
  hasPrompt(id: string): boolean;
}

interface Writing {
  readonly type: "text.delta" | "reasoning.delta";
  readonly message: Writer;
  text: string;
}

interface Writer {
  readonly id: string;
  /** The summary of a compaction: its text is not a message of the agent. */
  readonly isSummary: boolean;
  texts: Writing[];
  isFinished: boolean;
}

export function createSessionReport(options: SessionReportOptions): SessionReport {
  const { sink, agentId, seenPrompts } = options;
  const prompts = new Set<string>();
  const writers = new Map<string, Writer>();
  const writings = new Map<string, Writing>();
  const tools = new Map<string, { printed: string; isFinished: boolean }>();
  const countedSteps = new Set<string>();
  let newestPrompt: string | undefined;
  let answer: OpencodeAssistantMessage | undefined;
  let modelServed: string | undefined;

  function prompted(id: string): void {
    if (seenPrompts.has(id)) return;
    seenPrompts.add(id);
    prompts.add(id);
    newestPrompt = id;
    answer = undefined;
  }

  function answered(message: OpencodeAssistantMessage): void {
    if (!prompts.has(message.parentID)) return;
    const writer = writers.get(message.id) ?? newWriter(message);
    // Ids are made to be sorted by time.
    if (message.parentID === newestPrompt && (answer === undefined || message.id >= answer.id)) answer = message;
    if (message.isCompleted) finish(writer);
  }

  function newWriter(message: OpencodeAssistantMessage): Writer {
    const writer = { id: message.id, isSummary: message.isSummary, texts: [], isFinished: false };
    writers.set(message.id, writer);
    const model = `${message.providerID}/${message.modelID}`;
    if (!writer.isSummary && model !== modelServed) sink.emit({ type: "model.served", agentId, model });
    if (!writer.isSummary) modelServed = model;
    return writer;
  }

  function finish(writer: Writer): void {
    if (writer.isFinished) return;
    const text = writer.texts
      .map((writing) => writing.text)
      .filter((part) => part !== "")
      .join("\n\n");
    if (text === "") return;
    writer.isFinished = true;
    sink.emit({ type: "message.finished", agentId, messageId: writer.id, text });
  }

  function write(part: Extract<Part, { type: "text" | "reasoning" }>, message: Writer): void {
    if (message.isSummary) return sink.touch();
    let writing = writings.get(part.id);
    if (writing === undefined) {
      writing = { type: part.type === "text" ? "text.delta" : "reasoning.delta", message, text: "" };
      writings.set(part.id, writing);
      if (part.type === "text") message.texts.push(writing);
    }
    if (part.text === "") return;
    // Complete at its end. What was missed in the middle can't be reported any more; the finished message has it.
    if (part.text.startsWith(writing.text)) say(writing, part.text.slice(writing.text.length));
    writing.text = part.text;
  }

  function say(writing: Writing, text: string): void {
    if (text === "") return;
    const { type, message } = writing;
    const isContinued =
      writing.text === "" &&
      type === "text.delta" &&
      message.texts.some((other) => other !== writing && other.text !== "");
    writing.text += text;
    sink.emit({ type, agentId, messageId: message.id, text: isContinued ? `\n\n${text}` : text });
  }

  function runTool(part: ToolPart): void {
    if (part.state.status === "pending") return sink.touch();
    let tool = tools.get(part.id);
    if (tool === undefined) {
      tool = { printed: "", isFinished: false };
      tools.set(part.id, tool);
      const { tool: name, id: toolCallId } = part;
      sink.emit({
        type: "tool.started",
        agentId,
        toolCallId,
        name,
        kind: opencodeToolKind(name),
        input: toolInput(part),
      });
    }
    if (tool.isFinished) return;
    const printed = printedSoFar(part) ?? "";
    // A long output is cut at its start by OpenCode: then the new text does not continue the old one, and is left out.
    if (printed.length > tool.printed.length && printed.startsWith(tool.printed))
      sink.emit({ type: "tool.progressed", agentId, toolCallId: part.id, output: printed.slice(tool.printed.length) });
    else sink.touch();
    tool.printed = printed;
    options.onTool(part);
    const end = toolOutcome(part, options.isStopping());
    if (end === undefined) return;
    tool.isFinished = true;
    sink.emit({
      type: "tool.finished",
      agentId,
      toolCallId: part.id,
      name: part.tool,
      outputChars: end.output.length,
      ...end,
    });
  }

  function count(part: StepPart, writer: Writer): void {
    if (countedSteps.has(part.id)) return;
    countedSteps.add(part.id);
    sink.emit({ type: "usage.reported", agentId, usage: usageOf(part) });
    if (agentId === undefined && !writer.isSummary)
      sink.emit({ type: "context.measured", usedTokens: contextTokens(part.tokens), maxTokens: undefined });
  }

  return {
    get answer() {
      return answer;
    },
    hasPrompt: (id) => prompts.has(id),
    message(message) {
      sink.touch();
      if (message.role === "user") prompted(message.id);
      else answered(message);
    },
    part(part) {
      const writer = writers.get(part.messageID);
      if (writer === undefined) return;
      switch (part.type) {
        case "text":
        case "reasoning":
          return write(part, writer);
        case "tool":
          return runTool(part);
        case "step-finish":
          return count(part, writer);
        case "other":
          return sink.touch();
      }
    },
    delta({ partId, text }) {
      const writing = writings.get(partId);
      if (writing !== undefined) say(writing, text);
    },
    restart() {
      for (const writer of writers.values()) if (!writer.isFinished) writer.texts = [];
    },
  };
}

/** What the next call of the model has to read again. */
export function contextTokens({ input, output, reasoning, cache }: TokenCounts): number {
  return input + output + reasoning + cache.read + cache.write;
}

/** A cost of 0 is unknown: OpenCode reports 0 for models without a price. */
function usageOf({ tokens, cost }: StepPart): Usage {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output + tokens.reasoning,
    cacheReadTokens: tokens.cache.read,
    cacheWriteTokens: tokens.cache.write,
    ...(cost > 0 && { costUsd: cost }),
  };
}
