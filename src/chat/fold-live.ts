// What an agent does at the moment, folded into `live`. Nothing here is kept: the finished piece comes from the record.

import type { AgentEvent } from "../agents/events.ts";
import type { ChatBlock, ChatView, ChatTurnView } from "./chat-view.ts";
import { toolChange } from "../agents/tool-changes.ts";
import { toolTitle } from "../agents/tool-title.ts";

/** A screen shows the end of it; the rest is on record when the tool has finished. */
const keptOutputChars = 4000;

export function foldLive(view: ChatView, event: AgentEvent, at: number): ChatView {
  if (event.agentId !== undefined && event.type !== "subagent.started" && event.type !== "subagent.finished")
    return foldSubagent(view, event);
  switch (event.type) {
    case "turn.started":
      return withPhase(view, "working");
    case "text.delta":
      return appendText(view, "said", event.messageId, event.text);
    case "reasoning.delta":
      return appendText(view, "thought", event.messageId, event.text);
    case "tool.started": {
      const { toolCallId: id, name, input } = event;
      const title = toolTitle(input);
      return put(view, {
        kind: "tool",
        id,
        name,
        title,
        state: "running",
        output: "",
        startedAt: at,
        ...toolChange(input),
      });
    }
    case "tool.progressed":
      return change(view, event.toolCallId, (block) =>
        block.kind === "tool" ? { ...block, output: tail(block.output + event.output) } : block,
      );
    case "subagent.started": {
      const { agentId: id, name, task, isBackground, toolCallId } = event;
      // It stands for the tool call that started it.
      const live = view.live.filter((block) => block.kind !== "tool" || block.id !== toolCallId);
      return put(
        { ...view, live },
        {
          kind: "subagent",
          id,
          name,
          task,
          state: "running",
          text: "",
          tools: 0,
          isBackground,
          startedAt: at,
        },
      );
    }
    case "question.asked":
      return withPhase({ ...view, questions: [...view.questions, event.question] }, "asking");
    case "question.answered":
    case "question.declined": {
      const questions = view.questions.filter(({ id }) => id !== event.questionId);
      return withPhase({ ...view, questions }, questions.length === 0 ? "working" : "asking");
    }
    case "model.served":
      return { ...view, modelServed: event.model };
    case "context.measured":
      return { ...view, context: { used: event.usedTokens, max: event.maxTokens } };
    default:
      return view;
  }
}

/** A sub-agent is one line: what it does now, and how many tools it used. */
function foldSubagent(view: ChatView, event: AgentEvent): ChatView {
  if (event.type === "question.asked" || event.type === "question.answered" || event.type === "question.declined")
    return foldLive(view, { ...event, agentId: undefined }, 0);
  if (event.type !== "tool.started" || event.agentId === undefined) return view;
  const doing = `${event.name} ${toolTitle(event.input)}`.trim();
  return change(view, event.agentId, (block) =>
    block.kind === "subagent" ? { ...block, text: doing, tools: block.tools + 1 } : block,
  );
}

export function withPhase(view: ChatView, phase: ChatTurnView["phase"]): ChatView {
  // A turn that is being stopped stays so until it has ended.
  if (view.turn === undefined || view.turn.phase === phase || view.turn.phase === "stopping") return view;
  return { ...view, turn: { ...view.turn, phase } };
}

function appendText(view: ChatView, kind: "said" | "thought", id: string, text: string): ChatView {
  const known = view.live.some((block) => block.kind === kind && block.id === id);
  if (!known) return put(view, { kind, id, text });
  return {
    ...view,
    live: view.live.map((block) =>
      block.kind === kind && block.id === id ? { ...block, text: block.text + text } : block,
    ),
  };
}

function put(view: ChatView, block: ChatBlock): ChatView {
  return { ...view, live: [...view.live, block] };
}

function change(view: ChatView, id: string, by: (block: ChatBlock) => ChatBlock): ChatView {
  return { ...view, live: view.live.map((block) => (block.id === id ? by(block) : block)) };
}

function tail(text: string): string {
  return text.length > keptOutputChars ? text.slice(-keptOutputChars) : text;
}
