// What agents did, turn by turn: the tools in use, sub-agents, changed lines, what was asked and said. A pure fold of the
// transcript, which every process can read; a transcript that is missing costs this and nothing else.

import type { FileChange } from "../../agents/tool-changes.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import type { Json } from "../../lib/json.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { changesOfTool, type TranscriptEntry } from "../../transcript/transcript-entry.ts";

export interface ToolActivity {
  readonly call: string;
  /** The sub-agent that uses it; empty: the agent of the turn. */
  readonly agent: string;
  readonly name: string;
  readonly title: string;
  readonly input: Json;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly outcome: "ok" | "failed" | "interrupted" | undefined;
  readonly ms: number | undefined;
  readonly output: string;
  readonly exitCode: number | undefined;
}

export interface SubAgentActivity {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly startedAt: number;
  readonly isOver: boolean;
}

export interface TurnActivity {
  readonly turn: string;
  readonly agent: string;
  readonly task: string | undefined;
  readonly key: string | undefined;
  readonly startedAt: number;
  readonly prompt: string;
  /** The newest ones. */
  readonly tools: readonly ToolActivity[];
  readonly agents: readonly SubAgentActivity[];
  readonly changes: PersistentMap<FileChange>;
  /** What it said so far, or in the end. */
  readonly said: string;
  readonly failure: string | undefined;
  readonly isOver: boolean;
  /** When something happened: the newest moments. */
  readonly ticks: readonly number[];
}

export interface Activity {
  /** By turn. */
  readonly turns: PersistentMap<TurnActivity>;
  /** Parts of the transcript are missing. */
  readonly isCut: boolean;
}

export const noActivity: Activity = { turns: PersistentMap.empty(), isCut: false };

const maxTools = 200;
const maxTicks = 64;
const maxSaid = 65_536;

export function nextActivity(activity: Activity, entry: TranscriptEntry): Activity {
  switch (entry.type) {
    case "turn.started": {
      const { turn, agent, task, key, prompt, at } = entry;
      return withTurn(activity, {
        turn,
        agent,
        task,
        key,
        startedAt: at,
        prompt,
        tools: [],
        agents: [],
        changes: PersistentMap.empty(),
        said: "",
        failure: undefined,
        isOver: false,
        ticks: [at],
      });
    }
    case "node.failed":
      return activity;
    case "transcript.truncated":
      return { ...activity, isCut: true };
    default: {
      const turn = activity.turns.get(entry.turn);
      if (turn === undefined) return activity;
      const ticks = [...turn.ticks.slice(1 - maxTicks), entry.at];
      return withTurn(activity, { ...turn, ticks, ...changesOf(turn, entry) });
    }
  }
}

type EntryOfTurn = Exclude<TranscriptEntry, { readonly type: "turn.started" | "node.failed" | "transcript.truncated" }>;

function changesOf(turn: TurnActivity, entry: EntryOfTurn): Partial<TurnActivity> {
  switch (entry.type) {
    case "said": {
      if (entry.agentId !== undefined) return {};
      const said = turn.said === "" ? entry.text : `${turn.said}\n\n${entry.text}`;
      return { said: said.slice(-maxSaid) };
    }
    case "tool.started": {
      const { call, agentId = "", name, input, at } = entry;
      const tool: ToolActivity = {
        call,
        agent: agentId,
        name,
        title: toolTitle(input),
        input,
        startedAt: at,
        outcome: undefined,
        ms: undefined,
        output: "",
        exitCode: undefined,
      };
      return { tools: [...turn.tools.slice(1 - maxTools), tool] };
    }
    case "tool.finished": {
      const { call, outcome, output, durationMs, exitCode } = entry;
      const tools = turn.tools.map((tool) =>
        tool.call === call ? { ...tool, outcome, output, exitCode, ms: durationMs } : tool,
      );
      return { tools, changes: changesOfTool(entry).reduce(withChange, turn.changes) };
    }
    case "subagent.started": {
      const { agentId, parentId, name, at } = entry;
      return { agents: [...turn.agents, { id: agentId, parent: parentId, name, startedAt: at, isOver: false }] };
    }
    case "subagent.finished":
      return { agents: turn.agents.map((each) => (each.id === entry.agentId ? { ...each, isOver: true } : each)) };
    case "turn.finished":
      return {
        isOver: true,
        said: entry.answer === "" ? turn.said : entry.answer,
        failure: entry.failure,
        agents: turn.agents.map((each) => ({ ...each, isOver: true })),
      };
    case "thought":
    case "noticed":
      return {};
  }
}

function withChange(changes: PersistentMap<FileChange>, more: FileChange): PersistentMap<FileChange> {
  const { path, added, removed } = more;
  const before = changes.get(path);
  return changes.set(path, {
    path,
    added: added + (before?.added ?? 0),
    removed: removed + (before?.removed ?? 0),
  });
}

function withTurn(activity: Activity, turn: TurnActivity): Activity {
  return { ...activity, turns: activity.turns.set(turn.turn, turn) };
}

/** The newest tool that this agent still uses. */
export function currentTool(turn: TurnActivity, agent: string): ToolActivity | undefined {
  return turn.tools.findLast((tool) => tool.outcome === undefined && tool.agent === agent);
}

/** `Bash npm test`. */
export function toolText({ name, title }: Pick<ToolActivity, "name" | "title">): string {
  return safeLine(`${name} ${title}`.trim(), 200);
}

/** Lines that a turn changed. */
export function changedLines({ changes }: Pick<TurnActivity, "changes">): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const change of changes.values()) {
    added += change.added;
    removed += change.removed;
  }
  return { added, removed };
}

const bars = ["▁", "▂", "▃", "▅", "▇"] as const;
const bucketMs = 15_000;
const buckets = 6;

/** How much happened in the last minute and a half: `▁▂▅▇▃▁`. Empty where nothing did. */
export function activityBars(ticks: readonly number[], now: number): string {
  const counts = Array.from({ length: buckets }, () => 0);
  for (const at of ticks) {
    const place = buckets - 1 - Math.floor(Math.max(0, now - at) / bucketMs);
    const count = counts[place];
    if (count !== undefined) counts[place] = count + 1;
  }
  if (counts.every((count) => count === 0)) return "";
  return counts.map((count) => bars[Math.min(bars.length - 1, Math.ceil(count / 2))]).join("");
}
