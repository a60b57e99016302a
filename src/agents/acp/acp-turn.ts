// One turn of an ACP agent: the updates between a prompt and its answer become events. Sub-agents are separate sessions
// that the agent announces on the session they belong to; their updates arrive on the same connection.

import type { TurnResult, TurnSink } from "../backend-session.ts";
import { turnFailure } from "../failures.ts";
import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../fields.ts";
import { answerCutOff, answerRefused } from "../unfinished-turns.ts";
import { noUsage, tokensWithout, type Usage } from "../usage.ts";
import type { AcpCapabilities } from "./acp-capabilities.ts";
import { promptFailure } from "./acp-failures.ts";
import type { RpcAnswer } from "./rpc-peer.ts";
import { remarkIn, textFailure } from "./text-failures.ts";
import { createToolReport } from "./tool-report.ts";

export interface AcpTurnOptions {
  readonly sink: TurnSink;
  /** The agent's id of the session. */
  readonly sessionId: string;
  readonly now: () => number;
  readonly capabilities: AcpCapabilities;
  /** What the session had cost before this turn, when that is known. */
  readonly costBefore: number | undefined;
  /** What the agent counted before this turn, when it counts the whole session. */
  readonly usageBefore: Usage | undefined;
  /** See AgentHabits. */
  readonly marksRemarks: boolean;
}

export interface AcpTurn {
  readonly sink: TurnSink;
  /** `session/update`, of the session or of a sub-agent's. */
  read(sessionId: string, update: Fields): void;
  /** The answer to the prompt: the end. */
  answered(answer: RpcAnswer): void;
  /** Sessions of the sub-agents that work now. */
  readonly children: readonly string[];
  /** The sub-agent behind a session; undefined: the agent itself. */
  agentOf(sessionId: string): string | undefined;
  /** What the session has cost so far, if the agent reports it. */
  readonly cost: number | undefined;
  /** The usage as the agent reported it. */
  readonly counted: Usage | undefined;
}

interface Message {
  id: string;
  text: string;
}

export function createAcpTurn(options: AcpTurnOptions): AcpTurn {
  const { sink, capabilities } = options;
  const tools = createToolReport((event) => sink.emit(event));
  /** By session: the sub-agent that works in it. A session can be used again; then it is another one to the reader. */
  const agents = new Map<string, string>();
  const messages = new Map<string, Message>();
  let cost: number | undefined;
  let counted: Usage | undefined;
  let hasContext = false;
  let hasUsedTools = false;
  /** Of the agent itself: its last message, and the last piece of it. */
  let last = { text: "", piece: "" };
  let plans = 0;

  function read(sessionId: string, update: Fields): void {
    sink.touch();
    const agentId = agents.get(sessionId);
    if (agentId === undefined && sessionId !== options.sessionId) return;
    switch (textIn(update, "sessionUpdate")) {
      case "agent_message_chunk":
        return readText(sessionId, update, agentId);
      case "agent_thought_chunk": {
        const text = textIn(fieldsIn(update, "content"), "text") ?? "";
        const messageId = textIn(update, "messageId") ?? "thought";
        if (text !== "") sink.emit({ type: "reasoning.delta", agentId, messageId, text });
        return;
      }
      case "tool_call":
      case "tool_call_update":
        finishMessage(sessionId);
        hasUsedTools = true;
        return tools.read(update, agentId);
      case "plan":
        return readPlan(update, agentId);
      case "usage_update":
        return readUsage(update, agentId);
      case "subagent_update":
        return readSubagent(update, agentId);
      default:
        return;
    }
  }

  /** Agents that do not number their messages start another one after each tool. */
  function readText(sessionId: string, update: Fields, agentId: string | undefined): void {
    const text = textIn(fieldsIn(update, "content"), "text") ?? "";
    if (text === "") return;
    const given = textIn(update, "messageId");
    const current = messages.get(sessionId);
    if (current !== undefined && given !== undefined && given !== current.id) finishMessage(sessionId);
    const remark = options.marksRemarks && !messages.has(sessionId) ? remarkIn(text) : undefined;
    if (remark !== undefined) return sink.emit({ type: "notice.raised", agentId, ...remark });
    const message = messages.get(sessionId) ?? { id: given ?? crypto.randomUUID(), text: "" };
    message.text += text;
    messages.set(sessionId, message);
    if (agentId === undefined) last = { text: message.text, piece: text };
    sink.emit({ type: "text.delta", agentId, messageId: message.id, text });
  }

  function finishMessage(sessionId: string): string {
    const message = messages.get(sessionId);
    if (message === undefined) return "";
    messages.delete(sessionId);
    sink.emit({ type: "message.finished", agentId: agents.get(sessionId), messageId: message.id, text: message.text });
    return message.text;
  }

  /** The agent's own list of what to do: shown as a tool, like any other's. */
  function readPlan(update: Fields, agentId: string | undefined): void {
    const toolCallId = `plan-${sink.turnId}-${++plans}`;
    const entries = listIn(update, "entries").map((entry) => ({
      content: textIn(entry, "content") ?? "",
      status: textIn(entry, "status") ?? "pending",
    }));
    sink.emit({ type: "tool.started", agentId, toolCallId, name: "plan", kind: "todo", input: { entries } });
    sink.emit({ type: "tool.finished", agentId, toolCallId, name: "plan", outcome: "ok", output: "", outputChars: 0 });
  }

  function readUsage(update: Fields, agentId: string | undefined): void {
    const price = fieldsIn(update, "cost");
    if (textIn(price, "currency") === "USD") noteCost(numberIn(price, "amount"));
    const usedTokens = numberIn(update, "used");
    if (usedTokens === undefined || agentId !== undefined) return;
    hasContext = true;
    sink.emit({ type: "context.measured", usedTokens, maxTokens: numberIn(update, "size") });
  }

  /** The agent states what the session has cost so far; what is new of it is this turn's. */
  function noteCost(now: number | undefined): void {
    if (now === undefined) return;
    const before = cost ?? options.costBefore;
    cost = now;
    if (before !== undefined && now > before)
      sink.emit({ type: "usage.reported", usage: { ...noUsage, costUsd: now - before } });
  }

  function readSubagent(update: Fields, parentId: string | undefined): void {
    const child = textIn(update, "sessionId");
    const state = fieldsIn(update, "state");
    if (child === undefined) return;
    capabilities.sawSubagent();
    const isIdle = textIn(state, "state") === "idle";
    const agentId = agents.get(child);
    if (agentId === undefined && !isIdle) {
      const started = crypto.randomUUID();
      agents.set(child, started);
      sink.emit({
        type: "subagent.started",
        agentId: started,
        parentId,
        name: textIn(update, "title") ?? "sub-agent",
        task: textIn(update, "description") ?? "",
        isBackground: false,
      });
    }
    if (agentId === undefined || !isIdle) return;
    const text = finishMessage(child);
    agents.delete(child);
    sink.emit({ type: "subagent.finished", agentId, outcome: outcomeOf(textIn(state, "stopReason")), text });
  }

  function answered(answer: RpcAnswer): void {
    for (const sessionId of messages.keys()) finishMessage(sessionId);
    if ("error" in answer) return sink.fail(promptFailure(answer.error, options.now()), result({}));
    const end = result(answer.result);
    const stopReason = textIn(answer.result, "stopReason");
    capabilities.turned({ hasUsage: end.usage !== undefined, hasCost: cost !== undefined, hasContext });
    switch (stopReason) {
      case "cancelled":
        return sink.interrupted(end);
      case "refusal":
        return sink.fail(answerRefused(), end);
      case "max_turn_requests":
        return sink.fail(turnFailure("refused", "The agent reached its own limit of requests in one turn."), end);
      case "max_tokens":
        return sink.fail(answerCutOff(), end);
      default:
        return endOrFail(end);
    }
  }

  function endOrFail(end: TurnResult): void {
    const { marksRemarks } = options;
    const failure = textFailure({ text: last.text, lastPiece: last.piece, hasUsedTools, marksRemarks }, options.now());
    if (failure === undefined) sink.complete(end);
    else sink.fail(failure, end);
  }

  function result(answer: Fields): TurnResult {
    const { costBefore } = options;
    const costUsd = cost === undefined || costBefore === undefined ? undefined : Math.max(0, cost - costBefore);
    counted = usageOf(fieldsIn(answer, "usage"));
    if (counted === undefined) return {};
    const usage = options.usageBefore === undefined ? counted : tokensWithout(counted, options.usageBefore);
    return { usage: { ...usage, ...(costUsd !== undefined && { costUsd }) } };
  }

  return {
    sink,
    read,
    answered,
    get children() {
      return [...agents.keys()];
    },
    agentOf: (sessionId) => agents.get(sessionId),
    get cost() {
      return cost ?? options.costBefore;
    },
    get counted() {
      return counted;
    },
  };
}

function outcomeOf(stopReason: string | undefined): "completed" | "failed" | "interrupted" {
  if (stopReason === "cancelled") return "interrupted";
  return stopReason === undefined || stopReason === "end_turn" ? "completed" : "failed";
}

function usageOf(usage: Fields): Usage | undefined {
  const inputTokens = numberIn(usage, "inputTokens");
  if (inputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens: numberIn(usage, "outputTokens") ?? 0,
    cacheReadTokens: numberIn(usage, "cachedReadTokens") ?? 0,
    cacheWriteTokens: numberIn(usage, "cachedWriteTokens") ?? 0,
  };
}
