// A transcript as lines for a user: who was asked what, what it thought, did and answered. Entries of several workers
// come mixed; a line names the turn whenever it changes.

import { localTime } from "../../lib/local-time.ts";
import { sumOfLines } from "../../agents/tool-changes.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import { changesOfTool, type TranscriptEntry } from "../../transcript/transcript-entry.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";

const shownOutputLines = 12;

type Entry<Type extends TranscriptEntry["type"]> = Extract<TranscriptEntry, { readonly type: Type }>;

export function createTranscriptPrinter(print: (text: string) => void): (entry: TranscriptEntry) => void {
  const labels = new Map<string, string>();
  /** Inputs of tools that run, by call. */
  const inputs = new Map<string, Entry<"tool.started">["input"]>();
  let current: string | undefined;

  return (entry) => {
    if (entry.type === "turn.started") labels.set(entry.turn, labelOf(entry));
    if (entry.type === "tool.started") inputs.set(entry.call, entry.input);
    const lines = linesOf(entry, "call" in entry ? inputs.get(entry.call) : undefined);
    if (entry.type === "tool.finished") inputs.delete(entry.call);
    if (lines.length === 0) return;
    const turn = "turn" in entry ? entry.turn : undefined;
    if (turn !== undefined && turn !== current) print(`── ${labels.get(turn) ?? "a turn"} ──`);
    current = turn;
    print(lines.join("\n"));
  };
}

function labelOf({ agent, task, worker, node, at }: Entry<"turn.started">): string {
  const about =
    task === undefined ? (node === undefined ? "" : `, ${safeLine(node, 60)}`) : `, task ${safeLine(task, 60)}`;
  const by = worker === undefined ? "" : `, worker ${worker}`;
  return `${safeLine(agent, 60)}${about}${by}, ${localTime(at)}`;
}

function linesOf(entry: TranscriptEntry, input: Entry<"tool.started">["input"] | undefined): readonly string[] {
  switch (entry.type) {
    case "turn.started":
      return indented("> ", entry.prompt);
    case "said":
      return indented(by(entry, ""), entry.text);
    case "thought":
      return indented(by(entry, "~ "), entry.text);
    case "tool.started":
      return [`${by(entry, "")}→ ${safeLine(entry.name, 60)} ${toolTitle(entry.input)}`.trimEnd()];
    case "tool.finished":
      return toolLines(entry, input);
    case "subagent.started":
      return [`↳ ${safeLine(entry.name, 60)}: ${safeLine(entry.task, 300)}`];
    case "subagent.finished":
      return [`↲ sub-agent ${entry.outcome}`, ...indented("  ", entry.text)];
    case "noticed":
      return [`${by(entry, "")}! ${safeLine(entry.text, 500)}`];
    case "turn.finished":
      return endLines(entry);
    case "node.failed":
      return [
        `! ${safeLine(entry.node, 60)} failed (try ${entry.attempt}): ${safeLine(entry.message, 500)}`,
        ...indented("    ", entry.stack),
      ];
    case "transcript.truncated":
      return [`… ${lossTexts[entry.reason]} …`];
  }
}

const lossTexts: Readonly<Record<Entry<"transcript.truncated">["reason"], string>> = {
  size: "earlier entries were dropped",
  disk: "entries were lost: the disk was full or could not be written",
  length: "an entry was left out: it was too long",
};

function toolLines(
  entry: Entry<"tool.finished">,
  input: Entry<"tool.started">["input"] | undefined,
): readonly string[] {
  const { name, outcome, exitCode, durationMs, output, outputChars } = entry;
  const changes = changesOfTool(entry);
  const { added, removed } = sumOfLines(changes);
  const mark = outcome === "ok" ? "✓" : "✗";
  const title = input === undefined ? "" : ` ${toolTitle(input)}`;
  const facts = [
    ...(outcome === "ok" ? [] : [outcome]),
    ...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
    ...(changes.length === 0 ? [] : [`+${added} −${removed}`]),
    durationMs < 1000 ? `${durationMs}ms` : formatDuration(durationMs),
  ];
  const lines = output === "" ? [] : indented("    ", output);
  const left = lines.length - shownOutputLines;
  const shown = left > 0 ? [...lines.slice(0, shownOutputLines), `    … ${left} more lines`] : lines;
  const clipped = outputChars > output.length ? [`    (${outputChars} characters in all)`] : [];
  return [`${by(entry, "")}${mark} ${safeLine(name, 60)}${title} (${facts.join(", ")})`, ...shown, ...clipped];
}

function endLines(entry: Entry<"turn.finished">): readonly string[] {
  const { outcome, failure, modelServed, usage, durationMs, changes } = entry;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const facts = [
    formatDuration(durationMs),
    ...(typeof modelServed === "string" ? [safeLine(modelServed, 60)] : []),
    `${tokens} tokens`,
    usage.costUsd === null ? "cost unknown" : `$${usage.costUsd.toFixed(4)}`,
  ];
  return [
    ...changes.map(({ path, added, removed }) => `± ${safeLine(path, 200)} +${added} −${removed}`),
    `${outcome}${failure === undefined ? "" : `: ${safeLine(failure, 500)}`} (${facts.join(", ")})`,
  ];
}

/** What a sub-agent does is indented. */
function by(entry: { readonly agentId?: string }, mark: string): string {
  return entry.agentId === undefined ? mark : `  ${mark}`;
}

function indented(prefix: string, text: string): readonly string[] {
  return safeText(text)
    .split("\n")
    .map((line) => `${prefix}${line}`.trimEnd());
}
