// The program's messages as events of the port. Keeps what one message leaves open for the next: the block that is being
// written, the names of open tools, which task is which sub-agent. A sub-agent's id is that of the tool call that started
// it, because every message of it carries that one. The guard handles order and duplicates; the end of a turn is
// up to claude-turn.ts.

import type { Json } from "../../lib/json.ts";
import type { BackendEvent } from "../backend-session.ts";
import { noUsage, totalTokens, type Usage } from "../usage.ts";
import { claudeRetryFailure } from "./claude-failures.ts";
import {
  toolResultText,
  type ClaudeAssistantMessage,
  type ClaudeMessage,
  type ServiceUsage,
  type StreamDelta,
  type StreamMessage,
  type SystemMessage,
  type TaskStartedMessage,
  type ClaudeUserMessage,
} from "./read-messages.ts";
import { reportedChanges } from "./reported-changes.ts";
import { claudeToolKind } from "./tool-kinds.ts";

export interface ClaudeEvents {
  /** A piece of an answer. */
  stream(message: StreamMessage): void;
  translate(message: Exclude<ClaudeMessage, StreamMessage>): void;
  /** The sub-agent of a task, for questions it asks. */
  agentOf(taskId: string | undefined): string | undefined;
}

export interface ClaudeEventsOptions {
  readonly emit: (event: BackendEvent) => void;
  /** A piece of an answer that is not an event: a sign of life. */
  readonly touch: () => void;
  readonly onUsage: (usage: Usage) => void;
  /** Tools that end now end because the turn is interrupted. */
  readonly isInterrupting: () => boolean;
  /** How much a model takes, when that is known. */
  readonly contextWindow: (model: string) => number | undefined;
}

interface Writing {
  readonly answerId: string;
  readonly model: string;
  /** What the model read to write it; undefined when the answer is not streamed. */
  readonly read: Usage | undefined;
  block: number;
  /** Of the current block: one text block is one message of the port. What follows a tool call is another. */
  messageId: string;
}

/** What the program calls the author of messages it made up. */
const noModel = "<synthetic>";

export function createClaudeEvents(options: ClaudeEventsOptions): ClaudeEvents {
  const { emit, touch, isInterrupting, contextWindow } = options;
  /** Per agent: the answer that is being written, and its current block. */
  const writing = new Map<string | undefined, Writing>();
  const servedBy = new Map<string | undefined, string>();
  const toolNames = new Map<string, string>();
  const agentOfTask = new Map<string, string>();

  function streamed({ event, parent_tool_use_id }: StreamMessage): void {
    const agentId = parent_tool_use_id ?? undefined;
    const current = writing.get(agentId);
    // Nearly all messages are these.
    if (event.type === "content_block_delta" && current !== undefined) return piece(agentId, current, event.delta);
    touch();
    if (event.type === "message_start") {
      const { id: answerId, model, usage = {} } = event.message;
      writing.set(agentId, writingOf(answerId, model, usageOf(usage, noUsage)));
      return served(agentId, model);
    }
    if (current === undefined) return;
    if (event.type === "message_delta") written(agentId, current, event.usage);
    else if (event.type === "content_block_start") startBlock(current, event.index);
  }

  function piece(agentId: string | undefined, { messageId }: Writing, delta: StreamDelta["delta"]): void {
    if (delta.type === "text_delta" && delta.text !== undefined)
      emit({ type: "text.delta", agentId, messageId, text: delta.text });
    else if (delta.type === "thinking_delta" && delta.thinking !== undefined)
      emit({ type: "reasoning.delta", agentId, messageId, text: delta.thinking });
    else touch();
  }

  /** Services that don't count at all say nothing, or zeros: then nothing is known, and nothing is reported. */
  function written(agentId: string | undefined, { model, read }: Writing, counted: ServiceUsage = {}): void {
    if (read === undefined) return;
    const usage = usageOf(counted, read);
    if (totalTokens(usage) === 0) return;
    options.onUsage(usage);
    emit({ type: "usage.reported", agentId, usage });
    if (agentId === undefined)
      emit({ type: "context.measured", usedTokens: totalTokens(usage), maxTokens: contextWindow(model) });
  }

  function served(agentId: string | undefined, model: string): void {
    if (model === noModel || servedBy.get(agentId) === model) return;
    servedBy.set(agentId, model);
    emit({ type: "model.served", agentId, model });
  }

  function answered({ message, parent_tool_use_id, error }: ClaudeAssistantMessage): void {
    // What the program says in the model's place is the failure of the turn, not an answer.
    if (error !== undefined) return;
    const agentId = parent_tool_use_id ?? undefined;
    let current = writing.get(agentId);
    if (current?.answerId !== message.id) {
      // Not streamed: sub-agents, and answers that were fetched whole after a stream broke.
      current = { ...writingOf(message.id, message.model, undefined), block: -1 };
      writing.set(agentId, current);
      served(agentId, message.model);
    }
    const isStreamed = current.read !== undefined;
    for (const block of message.content) {
      if (!isStreamed) startBlock(current, current.block + 1);
      const { messageId } = current;
      if (block.type === "text" && block.text !== undefined)
        emit({ type: "message.finished", agentId, messageId, text: block.text });
      else if (block.type === "thinking" && block.thinking !== undefined && !isStreamed)
        emit({ type: "reasoning.delta", agentId, messageId, text: block.thinking });
      else if (block.type === "tool_use" && typeof block.id === "string" && typeof block.name === "string")
        toolStarted(agentId, block.id, block.name, block.input);
    }
  }

  function toolStarted(agentId: string | undefined, toolCallId: string, name: string, input: unknown): void {
    toolNames.set(toolCallId, name);
    // It was read from JSON a moment ago.
    emit({
      type: "tool.started",
      agentId,
      toolCallId,
      name,
      kind: claudeToolKind(name),
      input: (input ?? null) as Json,
    });
  }

  function toolsFinished({ message, parent_tool_use_id, tool_use_result }: ClaudeUserMessage): void {
    if (typeof message.content === "string") return;
    const isOnly = message.content.filter(({ type }) => type === "tool_result").length === 1;
    const changes = isOnly ? reportedChanges(tool_use_result) : undefined;
    for (const block of message.content) {
      if (block.type !== "tool_result" || typeof block.tool_use_id !== "string") continue;
      const output = toolResultText(block.content);
      const isFailed = block.is_error === true;
      const exitCode = isFailed ? /^(?:Error: )?Exit code (\d+)/.exec(output)?.[1] : undefined;
      emit({
        type: "tool.finished",
        agentId: parent_tool_use_id ?? undefined,
        toolCallId: block.tool_use_id,
        name: toolNames.get(block.tool_use_id) ?? "tool",
        outcome: !isFailed ? "ok" : isInterrupting() ? "interrupted" : "failed",
        output,
        outputChars: output.length,
        ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
        ...(changes !== undefined && { changes }),
      });
      toolNames.delete(block.tool_use_id);
    }
  }

  function subagentStarted(message: TaskStartedMessage): void {
    if (message.task_type !== "local_agent") return;
    const agentId = message.tool_use_id ?? message.task_id;
    agentOfTask.set(message.task_id, agentId);
    emit({
      type: "subagent.started",
      agentId,
      parentId: message.parent_task_id === undefined ? undefined : agentOfTask.get(message.parent_task_id),
      name: message.subagent_type ?? "sub-agent",
      task: message.description,
      ...(message.tool_use_id !== undefined && { toolCallId: message.tool_use_id }),
      isBackground: message.is_backgrounded === true,
    });
  }

  function translateSystem(message: SystemMessage): void {
    switch (message.subtype) {
      case "task_started":
        return subagentStarted(message);
      case "task_notification": {
        const agentId = agentOfTask.get(message.task_id);
        if (agentId === undefined) return;
        const outcome =
          message.status === "completed" ? "completed" : message.status === "failed" ? "failed" : "interrupted";
        return emit({ type: "subagent.finished", agentId, outcome, text: message.summary });
      }
      case "api_retry":
        return emit({
          type: "retry.scheduled",
          attempt: message.attempt,
          delayMs: message.retry_delay_ms,
          failure: claudeRetryFailure(message.error, message.error_status),
        });
      case "compact_boundary": {
        const { pre_tokens, post_tokens } = message.compact_metadata;
        return emit({ type: "context.compacted", beforeTokens: pre_tokens, afterTokens: post_tokens });
      }
      case "hook_response":
        if (message.outcome !== "error") return;
        return notice("warning", `The hook "${message.hook_name}" failed: ${message.stderr.trim()}`);
      case "informational":
        return notice(message.level === "warning" ? "warning" : "info", message.content);
      case "model_refusal_fallback":
        return notice("warning", message.content);
      case "local_command_output":
        return emit({ type: "message.finished", messageId: "command", text: message.content });
      case "init":
      case "status":
      case "session_state_changed":
      case "background_tasks_changed":
      case "model_refusal_no_fallback":
        return;
    }
  }

  function notice(level: "info" | "warning", message: string): void {
    emit({ type: "notice.raised", level, message });
  }

  return {
    stream: streamed,
    translate(message) {
      switch (message.type) {
        case "assistant":
          return answered(message);
        case "user":
          return toolsFinished(message);
        case "system":
          return translateSystem(message);
        case "rate_limit_event": {
          const { status, utilization, rateLimitType } = message.rate_limit_info;
          if (status !== "allowed_warning") return;
          const share =
            utilization === undefined ? "much" : `${Math.round(utilization <= 1 ? utilization * 100 : utilization)} %`;
          return notice(
            "warning",
            `The account has used ${share} of its ${(rateLimitType ?? "usage").replaceAll("_", " ")} limit.`,
          );
        }
        case "result":
          return;
      }
    },
    agentOf: (taskId) => (taskId === undefined ? undefined : agentOfTask.get(taskId)),
  };
}

function writingOf(answerId: string, model: string, read: Usage | undefined): Writing {
  return { answerId, model, read, block: 0, messageId: `${answerId}/0` };
}

/** Some services count the input only at the end of an answer: the last value that is not zero counts. */
function usageOf(counted: ServiceUsage, before: Usage): Usage {
  return {
    inputTokens: counted.input_tokens || before.inputTokens,
    outputTokens: counted.output_tokens || before.outputTokens,
    cacheReadTokens: counted.cache_read_input_tokens || before.cacheReadTokens,
    cacheWriteTokens: counted.cache_creation_input_tokens || before.cacheWriteTokens,
  };
}

function startBlock(writing: Writing, block: number): void {
  writing.block = block;
  writing.messageId = `${writing.answerId}/${block}`;
}
