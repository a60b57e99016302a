// What agents do at this moment: their turns by worker, the tool each uses now, the lines it changed, and the tree of
// its sub-agents. A pure fold of the transcript's entries, so the process that runs a workflow and one that watches it
// see the same. The record of the run has none of this.

import { sumOfLines } from "../../agents/tool-changes.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { changesOfTool, type TranscriptEntry } from "../../transcript/transcript-entry.ts";

export interface CurrentTool {
  readonly call: string;
  readonly name: string;
  /** What it works on, in one line. */
  readonly title: string;
  readonly startedAt: number;
}

export interface LiveAgent {
  /** Undefined for the agent of the turn itself. */
  readonly id: string | undefined;
  /** The sub-agent that started it; undefined: the agent of the turn did. */
  readonly parent: string | undefined;
  readonly name: string;
  readonly startedAt: number;
  /** Tools that it uses now, in the order they began. */
  readonly tools: readonly CurrentTool[];
  /** How many calls have ended. */
  readonly toolsEnded: number;
}

export interface LiveTurn {
  readonly turn: string;
  readonly agent: string;
  readonly backend: string;
  readonly node: string | undefined;
  readonly key: string | undefined;
  readonly task: string | undefined;
  readonly worker: number | undefined;
  readonly startedAt: number;
  /** When it last said or did something. */
  readonly activeAt: number;
  /** Lines that its tools have written and removed so far. */
  readonly added: number;
  readonly removed: number;
  /** The agent itself under "", its sub-agents under their ids. */
  readonly agents: PersistentMap<LiveAgent>;
}

/** By turn. A turn that ends is gone. */
export type LiveView = PersistentMap<LiveTurn>;

export const nothingLive: LiveView = PersistentMap.empty();

type Entry<Type extends TranscriptEntry["type"]> = Extract<TranscriptEntry, { readonly type: Type }>;

export function nextLive(view: LiveView, entry: TranscriptEntry): LiveView {
  switch (entry.type) {
    case "turn.started":
      return view.set(entry.turn, startedTurn(entry));
    case "turn.finished":
      return view.delete(entry.turn);
    case "subagent.started": {
      const { agentId, parentId, name, at } = entry;
      const agent = { id: agentId, parent: parentId, name, startedAt: at, tools: [], toolsEnded: 0 };
      return changed(view, entry, ({ agents }) => ({ agents: agents.set(agentId, agent) }));
    }
    case "subagent.finished":
      return changed(view, entry, ({ agents }) => ({ agents: agents.delete(entry.agentId) }));
    case "tool.started": {
      const tool = { call: entry.call, name: entry.name, title: toolTitle(entry.input), startedAt: entry.at };
      return changed(view, entry, (turn) =>
        withAgent(turn, entry.agentId, (agent) => ({ ...agent, tools: [...agent.tools, tool] })),
      );
    }
    case "tool.finished": {
      const { added, removed } = sumOfLines(changesOfTool(entry));
      return changed(view, entry, (turn) => ({
        ...withAgent(turn, entry.agentId, (agent) => withoutTool(agent, entry.call)),
        added: turn.added + added,
        removed: turn.removed + removed,
      }));
    }
    case "said":
    case "thought":
    case "noticed":
      return changed(view, entry, () => ({}));
    case "node.failed":
    case "transcript.truncated":
      return view;
  }
}

/** An agent of a turn and its depth in the tree: 0 is the agent of the turn itself. */
export interface AgentRow {
  readonly agent: LiveAgent;
  readonly depth: number;
}

/** The agents of a turn as a tree, each before those that it started. */
export function agentTree({ agents }: LiveTurn): readonly AgentRow[] {
  const children = new Map<string, LiveAgent[]>();
  for (const agent of agents.values()) {
    if (agent.id === undefined) continue;
    // One whose parent is done, or was never named, belongs to the turn.
    const parent = agent.parent !== undefined && agents.has(agent.parent) ? agent.parent : "";
    children.set(parent, [...(children.get(parent) ?? []), agent]);
  }
  const rowsBelow = (id: string, depth: number): readonly AgentRow[] =>
    (children.get(id) ?? []).flatMap((agent) => [{ agent, depth }, ...rowsBelow(agent.id ?? "", depth + 1)]);
  const root = agents.get("");
  return [...(root === undefined ? [] : [{ agent: root, depth: 0 }]), ...rowsBelow("", 1)];
}

function startedTurn(entry: Entry<"turn.started">): LiveTurn {
  const { turn, agent, backend, node, key, task, worker, at } = entry;
  const self = { id: undefined, parent: undefined, name: agent, startedAt: at, tools: [], toolsEnded: 0 };
  const place = { turn, agent, backend, node, key, task, worker };
  return { ...place, startedAt: at, activeAt: at, added: 0, removed: 0, agents: PersistentMap.of([["", self]]) };
}

function changed(
  view: LiveView,
  { turn: id, at }: { readonly turn: string; readonly at: number },
  change: (turn: LiveTurn) => Partial<LiveTurn>,
): LiveView {
  const turn = view.get(id);
  return turn === undefined ? view : view.set(id, { ...turn, activeAt: at, ...change(turn) });
}

function withAgent(
  { agents }: LiveTurn,
  id: string | undefined,
  change: (agent: LiveAgent) => LiveAgent,
): Pick<LiveTurn, "agents"> {
  const agent = agents.get(id ?? "");
  return { agents: agent === undefined ? agents : agents.set(id ?? "", change(agent)) };
}

function withoutTool(agent: LiveAgent, call: string): LiveAgent {
  const tools = agent.tools.filter((tool) => tool.call !== call);
  return tools.length === agent.tools.length ? agent : { ...agent, tools, toolsEnded: agent.toolsEnded + 1 };
}
