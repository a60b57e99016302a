// A summary of a run at its end, in a few lines: files, cost and tokens by agent and model, time.

import { counted } from "../../lib/counted.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { FileLineCounts } from "../../workflows/sessions/changed-files.ts";
import { formatCost, formatDuration, formatTurns } from "../../workflows/sessions/progress-text.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { ModelSpent } from "../../workflows/sessions/turn-views.ts";

const maxFiles = 8;

/** Empty for a run without agents. */
export function summaryText(view: SessionView, files: readonly FileLineCounts[]): string {
  const spent = [...view.spentByModel.values()];
  if (spent.length === 0) return "";
  return [...fileLines(files), ...spent.map(spentLine), timeLine(view, spent), ...nextLine(view)].join("\n");
}

function fileLines(files: readonly FileLineCounts[]): readonly string[] {
  if (files.length === 0) return [];
  const sum = (of: (file: FileLineCounts) => number): number => files.reduce((total, file) => total + of(file), 0);
  const count = counted(files.length, "file");
  const shown = files
    .slice(0, maxFiles)
    .map(({ path, added, removed }) => `    ${safeLine(path, 200)}  +${added} −${removed}`);
  const hidden = files.length - shown.length;
  return [
    `  Edited by agents: ${count}, +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`,
    ...shown,
    ...(hidden === 0 ? [] : [`    … and ${hidden} more`]),
  ];
}

function spentLine({ agent, model, turns, turnsWithoutCost, input, output, costUsd = 0 }: ModelSpent): string {
  const who = model === undefined ? safeLine(agent, 40) : `${safeLine(agent, 40)} (${safeLine(model, 60)})`;
  const cost = formatCost({ costUsd, turns, turnsWithoutCost });
  return `  ${who}: ${cost}, ${formatTokens(input)} tokens in, ${formatTokens(output)} out, ${formatTurns(turns)}`;
}

function timeLine(view: SessionView, spent: readonly ModelSpent[]): string {
  const agents = spent.reduce((total, { durationMs }) => total + durationMs, 0);
  const wall = formatDuration(Math.max(0, view.updatedAt - view.createdAt));
  return `  Time: ${wall} from start to end, ${formatDuration(agents)} of agents' work`;
}

/** A run that stopped before its end says itself how to resume it. */
function nextLine({ id, status }: SessionView): readonly string[] {
  return status === "completed" ? [`  Details: atomic sessions show ${id}`] : [];
}

/** `950`, `12.3k`, `4.1M` */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 999_950 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}
