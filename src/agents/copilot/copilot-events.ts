// The program's events as the port's. Knows which tool belongs to which agent and what each agent said last; when the
// turn is over is copilot-turn.ts.

import type { BackendEvent } from "../backend-session.ts";
import type { Json } from "../../lib/json.ts";
import { noUsage, type Usage } from "../usage.ts";
import { copilotRetryFailure } from "./copilot-failures.ts";
import { fieldsIn, numberIn, textIn, type Fields } from "../fields.ts";
import type { CopilotEvent } from "./read-event.ts";
import { copilotToolKind } from "./tool-kinds.ts";

interface KnownTool {
  readonly name: string;
  readonly agentId: string | undefined;
  readonly input: Fields;
}

export interface CopilotEvents {
  translate(event: CopilotEvent): void;
}

export function createCopilotEvents(emit: (event: BackendEvent) => void): CopilotEvents {
  const tools = new Map<string, KnownTool>();
  /** The last message of each sub-agent: its report. */
  const reports = new Map<string, string>();
  /** Per agent, the model that was named last. */
  const served = new Map<string | undefined, string>();
  const streamedReasoning = new Set<string>();
  let retries = 0;

  function translate({ type, agentId, data }: CopilotEvent): void {
    switch (type) {
      case "assistant.message_delta":
        return emitText("text.delta", textIn(data, "messageId"), textIn(data, "deltaContent"), agentId);
      case "assistant.reasoning_delta":
        streamedReasoning.add(textIn(data, "reasoningId") ?? "");
        return emitText("reasoning.delta", textIn(data, "reasoningId"), textIn(data, "deltaContent"), agentId);
      case "assistant.reasoning":
        // Models that do not stream their reasoning have it here only.
        if (streamedReasoning.has(textIn(data, "reasoningId") ?? "")) return;
        return emitText("reasoning.delta", textIn(data, "reasoningId"), textIn(data, "content"), agentId);
      case "assistant.message":
        return finishMessage(data, agentId);
      case "model.model_call_success":
        return noteModel(textIn(fieldsIn(data, "responseChunk"), "model"), agentId);
      case "assistant.usage":
        return emit({ type: "usage.reported", agentId, usage: usageOf(data) });
      case "tool.execution_start":
        return startTool(data, agentId);
      case "tool.shell_output":
        return progressTool(data, textIn(data, "text"), agentId);
      case "tool.execution_progress":
        return progressTool(data, textIn(data, "progressMessage"), agentId);
      case "tool.execution_complete":
        return finishTool(data, agentId);
      case "subagent.started":
        return startAgent(data, agentId);
      case "subagent.completed":
        return finishAgent(agentId, data["cancelled"] === true ? "interrupted" : "completed");
      case "subagent.failed":
        return finishAgent(agentId, "failed", textIn(data, "error"));
      default:
        return translateRest(type, data, agentId);
    }
  }

  function translateRest(type: string, data: Fields, agentId: string | undefined): void {
    switch (type) {
      case "session.usage_info":
        if (agentId !== undefined) return;
        return emit({
          type: "context.measured",
          usedTokens: numberIn(data, "currentTokens") ?? 0,
          maxTokens: numberIn(data, "tokenLimit"),
        });
      case "session.compaction_complete":
        return noteCompaction(data, agentId);
      case "assistant.turn_retry":
        return emit({
          type: "retry.scheduled",
          agentId,
          attempt: ++retries,
          delayMs: undefined,
          failure: copilotRetryFailure(textIn(data, "reason") ?? "unknown"),
        });
      case "session.warning":
        return noteWarning(textIn(data, "warningType"), textIn(data, "message"), agentId);
      case "hook.end":
        if (data["success"] !== false) return;
        return noteWarning("hook", hookProblem(data), agentId);
      default:
        return;
    }
  }

  function emitText(
    type: "text.delta" | "reasoning.delta",
    messageId: string | undefined,
    text: string | undefined,
    agentId: string | undefined,
  ): void {
    if (text !== undefined && text !== "") emit({ type, agentId, messageId: messageId ?? "", text });
  }

  function finishMessage(data: Fields, agentId: string | undefined): void {
    if (!served.has(agentId)) noteModel(textIn(data, "model"), agentId);
    const text = textIn(data, "content") ?? "";
    if (text === "") return;
    if (agentId !== undefined) reports.set(agentId, text);
    emit({ type: "message.finished", agentId, messageId: textIn(data, "messageId") ?? "", text });
  }

  function noteModel(model: string | undefined, agentId: string | undefined): void {
    if (model === undefined || model === "" || served.get(agentId) === model) return;
    served.set(agentId, model);
    emit({ type: "model.served", agentId, model });
  }

  function startTool(data: Fields, agentId: string | undefined): void {
    const toolCallId = textIn(data, "toolCallId") ?? "";
    const name = textIn(data, "toolName") ?? "tool";
    tools.set(toolCallId, { name, agentId, input: fieldsIn(data, "arguments") });
    // What a model sent as JSON is JSON.
    const input = (data["arguments"] ?? null) as Json;
    emit({ type: "tool.started", agentId, toolCallId, name, kind: copilotToolKind(name), input });
  }

  function progressTool(data: Fields, output: string | undefined, agentId: string | undefined): void {
    const toolCallId = textIn(data, "toolCallId") ?? "";
    if (output !== undefined && output !== "") emit({ type: "tool.progressed", agentId, toolCallId, output });
  }

  function finishTool(data: Fields, agentId: string | undefined): void {
    const toolCallId = textIn(data, "toolCallId") ?? "";
    const exitCode = numberIn(fieldsIn(data, "shellExecution"), "exitCode");
    const said = textIn(fieldsIn(data, "result"), "content") ?? textIn(fieldsIn(data, "error"), "message") ?? "";
    // The program appends a line to what a command printed.
    const output = said.replace(/\n?<shellId: [^\n>]*>\s*$/, "");
    emit({
      type: "tool.finished",
      agentId,
      toolCallId,
      name: tools.get(toolCallId)?.name ?? "tool",
      // A command that exits with 3 was run successfully, says the program.
      outcome: data["success"] === true && (exitCode ?? 0) === 0 ? "ok" : "failed",
      output,
      outputChars: output.length,
      ...(exitCode !== undefined && { exitCode }),
    });
  }

  function startAgent(data: Fields, agentId: string | undefined): void {
    if (agentId === undefined) return;
    const toolCallId = textIn(data, "toolCallId");
    const tool = toolCallId === undefined ? undefined : tools.get(toolCallId);
    emit({
      type: "subagent.started",
      agentId,
      parentId: tool?.agentId,
      name: textIn(data, "agentName") ?? "sub-agent",
      task: textIn(tool?.input ?? {}, "prompt") ?? textIn(data, "agentDescription") ?? "",
      ...(toolCallId !== undefined && { toolCallId }),
      isBackground: textIn(data, "executionMode") === "background",
    });
  }

  function finishAgent(
    agentId: string | undefined,
    outcome: "completed" | "failed" | "interrupted",
    error?: string,
  ): void {
    if (agentId === undefined) return;
    emit({ type: "subagent.finished", agentId, outcome, text: error ?? reports.get(agentId) ?? "" });
  }

  function noteCompaction(data: Fields, agentId: string | undefined): void {
    const used = fieldsIn(data, "compactionTokensUsed");
    if (numberIn(used, "inputTokens") !== undefined) emit({ type: "usage.reported", agentId, usage: usageOf(used) });
    if (data["success"] !== true) return;
    emit({
      type: "context.compacted",
      agentId,
      beforeTokens: numberIn(data, "preCompactionTokens"),
      afterTokens: numberIn(data, "postCompactionTokens"),
    });
  }

  function noteWarning(kind: string | undefined, message: string | undefined, agentId: string | undefined): void {
    // Only that it has to guess the size of texts for a model it does not know.
    if (kind === "unknown_token_count_multiplier" || message === undefined) return;
    emit({ type: "notice.raised", agentId, level: "warning", message });
  }

  return { translate };
}

/** The program counts what a cache read or wrote as input too. */
function usageOf(data: Fields): Usage {
  const tokens = (name: string): number => numberIn(data, name) ?? 0;
  const [cacheReadTokens, cacheWriteTokens] = [tokens("cacheReadTokens"), tokens("cacheWriteTokens")];
  return {
    ...noUsage,
    inputTokens: Math.max(0, tokens("inputTokens") - cacheReadTokens - cacheWriteTokens),
    outputTokens: tokens("outputTokens"),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

function hookProblem(data: Fields): string {
  const hook = textIn(data, "hookType") ?? "unknown";
  return `A hook of Copilot failed (${hook}): ${textIn(fieldsIn(data, "error"), "message") ?? "no reason given"}`;
}
