// A summary of a run at its end, in a few lines: files, cost and tokens by agent and model, time.

import { safeLine } from "../../lib/safe-text.ts";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import { formatDuration, formatTurns } from "../../workflows/sessions/progress-text.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { ModelSpent } from "../../workflows/sessions/turn-views.ts";

export interface FileLineCounts {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

const mostFiles = 8;

/** Files that tools of agents wrote, each once, in the order they were first written. */
export async function changedFiles(entries: AsyncIterable<TranscriptEntry>): Promise<readonly FileLineCounts[]> {
  const files = new Map<string, FileLineCounts>();
  for await (const entry of entries) {
    if (entry.type !== "turn.finished") continue;
    for (const { path, added, removed } of entry.changes) {
      const known = files.get(path);
      files.set(path, { path, added: added + (known?.added ?? 0), removed: removed + (known?.removed ?? 0) });
    }
  }
  return [...files.values()];
}

/** Empty for a run without agents. */
export function summaryText(view: SessionView, files: readonly FileLineCounts[]): string {
  const spent = [...view.spentByModel.values()];
  if (spent.length === 0) return "";
  return [...fileLines(files, view.cwd), ...spent.map(spentLine), timeLine(view, spent)].join("\n");
}

function fileLines(files: readonly FileLineCounts[], cwd: string): readonly string[] {
  if (files.length === 0) return [];
  const sum = (of: (file: FileLineCounts) => number): number => files.reduce((total, file) => total + of(file), 0);
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const shown = files.slice(0, mostFiles).map(({ path, added, removed }) => {
    const name = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
    return `    ${safeLine(name, 200)}  +${added} −${removed}`;
  });
  const hidden = files.length - shown.length;
  return [
    `  Edited by agents: ${count}, +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`,
    ...shown,
    ...(hidden === 0 ? [] : [`    … and ${hidden} more`]),
  ];
}

function spentLine({ agent, model, turns, input, output, costUsd }: ModelSpent): string {
  const who = model === undefined ? safeLine(agent, 40) : `${safeLine(agent, 40)} (${safeLine(model, 60)})`;
  const cost = costUsd === undefined ? "cost unknown" : `$${costUsd.toFixed(4)}`;
  return `  ${who}: ${cost}, ${formatTokens(input)} tokens in, ${formatTokens(output)} out, ${formatTurns(turns)}`;
}

function timeLine(view: SessionView, spent: readonly ModelSpent[]): string {
  const agents = spent.reduce((total, { durationMs }) => total + durationMs, 0);
  const wall = formatDuration(Math.max(0, view.updatedAt - view.createdAt));
  return `  Time: ${wall} from start to end, ${formatDuration(agents)} of agents' work`;
}

/** `950`, `12.3k`, `4.1M` */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 999_950 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}
