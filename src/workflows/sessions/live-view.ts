// What agents do at this moment: their turns by worker, the tool each uses now, and the tree of its sub-agents. A pure fold
// of what is live, beside the view of what is on record; a front end in another process folds the transcript instead.

import type { AgentProgress } from "../../agents/agent-progress.ts";
import type { AgentEvent } from "../../agents/events.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";

export interface CurrentTool {
  readonly call: string;
  readonly name: string;
  /** What it works on, in one line. */
  readonly title: string;
}

export interface LiveAgent {
  /** Undefined for the agent of the turn itself. */
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly name: string;
  /** Tools that it uses now, in the order they began. */
  readonly tools: readonly CurrentTool[];
}

export interface LiveTurn {
  readonly turn: string;
  readonly node: string | undefined;
  readonly key: string | undefined;
  readonly task: string | undefined;
  readonly worker: number | undefined;
  /** The agent itself under "", its sub-agents under their ids. */
  readonly agents: PersistentMap<LiveAgent>;
}

/** By turn. A turn that ends is gone. */
export type LiveView = PersistentMap<LiveTurn>;

export const nothingLive: LiveView = PersistentMap.empty();

export function nextLive(view: LiveView, { place, event }: AgentProgress): LiveView {
  switch (event.type) {
    case "turn.started": {
      const { node, key, task, worker, agent } = place;
      const self: LiveAgent = { id: undefined, parent: undefined, name: agent, tools: [] };
      const agents = PersistentMap.of([["", self]]);
      return view.set(event.turnId, { turn: event.turnId, node, key, task, worker, agents });
    }
    case "turn.completed":
    case "turn.failed":
    case "turn.interrupted":
      return view.delete(event.turnId);
    case "subagent.started": {
      const { agentId, parentId, name } = event;
      return changed(view, event, (turn) => turn.set(agentId, { id: agentId, parent: parentId, name, tools: [] }));
    }
    case "subagent.finished":
      return changed(view, event, (turn) => turn.delete(event.agentId));
    case "tool.started": {
      const tool = { call: event.toolCallId, name: event.name, title: toolTitle(event.input) };
      return withTools(view, event, (tools) => [...tools, tool]);
    }
    case "tool.finished":
      return withTools(view, event, (tools) => tools.filter(({ call }) => call !== event.toolCallId));
    case "text.delta":
    case "reasoning.delta":
    case "message.finished":
    case "tool.progressed":
    case "question.asked":
    case "question.answered":
    case "question.declined":
    case "usage.reported":
    case "model.served":
    case "model.substituted":
    case "context.measured":
    case "context.compacted":
    case "retry.scheduled":
    case "notice.raised":
      return view;
  }
}

function changed(
  view: LiveView,
  { turnId }: AgentEvent,
  change: (agents: PersistentMap<LiveAgent>) => PersistentMap<LiveAgent>,
): LiveView {
  const turn = view.get(turnId);
  return turn === undefined ? view : view.set(turnId, { ...turn, agents: change(turn.agents) });
}

function withTools(
  view: LiveView,
  event: AgentEvent,
  change: (tools: readonly CurrentTool[]) => readonly CurrentTool[],
): LiveView {
  return changed(view, event, (agents) => {
    const agent = agents.get(event.agentId ?? "");
    return agent === undefined ? agents : agents.set(event.agentId ?? "", { ...agent, tools: change(agent.tools) });
  });
}
