// What the agents of a run do right now, as lines: a line per turn, below it the tools it uses and the tree of its
// sub-agents with theirs.

import { safeLine } from "../../lib/safe-text.ts";
import { type AgentRow, agentTree, type CurrentTool, type LiveTurn } from "../../workflows/sessions/live-view.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";

export function liveText({ live, turns }: Pick<SessionView, "live" | "turns">, now: number): readonly string[] {
  return [...live.values()].flatMap((turn) => [
    turnLine(turn, turns.get(turn.turn)?.used.costUsd, now),
    ...agentTree(turn).flatMap((row) => agentLines(row, now)),
  ]);
}

function turnLine(turn: LiveTurn, costUsd: number | undefined, now: number): string {
  const { worker, task, node, agent, added, removed } = turn;
  const facts = [
    ...(worker === undefined ? [] : [`worker ${worker}`]),
    ...(task === undefined ? (node === undefined ? [] : [safeLine(node, 60)]) : [`task ${safeLine(task, 60)}`]),
    safeLine(agent, 60),
    since(turn.startedAt, now),
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(4)}`]),
    ...(added + removed === 0 ? [] : [`+${added} −${removed}`]),
  ];
  return facts.join("  ");
}

function agentLines({ agent, depth }: AgentRow, now: number): readonly string[] {
  const indent = "  ".repeat(depth);
  const name = depth === 0 ? [] : [`${indent}└ ${safeLine(agent.name, 60)}  ${since(agent.startedAt, now)}`];
  return [...name, ...agent.tools.map((tool) => `${indent}  → ${toolText(tool)}  ${since(tool.startedAt, now)}`)];
}

function toolText({ name, title }: CurrentTool): string {
  return `${safeLine(name, 60)} ${safeLine(title, 120)}`.trimEnd();
}

/** A clock that was set back shows no time below zero. */
function since(startedAt: number, now: number): string {
  return formatDuration(Math.max(0, now - startedAt));
}
