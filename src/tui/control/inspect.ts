// A step opened: what the agent was asked, what it answered, its tools, the change, the state, the evidence, the event.
// Everything as of the moment that is looked at. Pure.

import { toolDiff } from "../../agents/tool-changes.ts";
import { type RunEvent, storedOf } from "../../events/run-event.ts";
import { safeText } from "../../lib/safe-text.ts";
import type { Evidence } from "../../workflows/sessions/turn-views.ts";
import { shortTime } from "../chat/format.ts";
import { type InkName, type Line, piece } from "../rows/line.ts";
import { type Activity, toolText, type TurnActivity } from "./activity.ts";
import { clockTime } from "./lanes.ts";
import type { RunMoment } from "./run-facts.ts";
import { type CombinedValue, combinedValue } from "../../workflows/sessions/state-value.ts";
import type { OwnReducers } from "../runs/runs-port.ts";

export const inspectTabs = ["prompt", "answer", "tools", "diff", "state", "evidence", "event"] as const;
export type InspectTab = (typeof inspectTabs)[number];

/** What is looked into. */
export interface Target {
  readonly title: string;
  readonly turn: string | undefined;
  readonly task: string | undefined;
  readonly key: string | undefined;
}

export interface InspectFacts {
  readonly moment: RunMoment;
  readonly activity: Activity;
  readonly event: RunEvent | undefined;
  readonly target: Target;
  /** The workflow's own, by key; undefined while they are being loaded. */
  readonly reducers: OwnReducers | undefined;
}

const maxLines = 5000;

export function inspectLines(tab: InspectTab, facts: InspectFacts): readonly Line[] {
  const did = turnOf(facts);
  switch (tab) {
    case "prompt":
      return did === undefined ? [noTranscript(facts)] : textLines(did.prompt);
    case "answer":
      return did === undefined ? [noTranscript(facts)] : answerLines(did);
    case "tools":
      return did === undefined ? [noTranscript(facts)] : toolLines(did);
    case "diff":
      return did === undefined ? [noTranscript(facts)] : diffLines(did);
    case "state":
      return stateLines(facts);
    case "evidence":
      return evidenceLines(facts);
    case "event":
      return facts.event === undefined
        ? [muted("No event yet.")]
        : textLines(JSON.stringify(storedOf(facts.event), undefined, 2));
  }
}

/** Its turn, or the newest one of the same task or visit. */
function turnOf({ activity, target }: InspectFacts): TurnActivity | undefined {
  const own = target.turn === undefined ? undefined : activity.turns.get(target.turn);
  if (own !== undefined) return own;
  return [...activity.turns.values()].findLast(({ task, key }) =>
    target.task === undefined ? target.key !== undefined && key === target.key : task === target.task,
  );
}

function noTranscript({ target, activity }: InspectFacts): Line {
  if (activity.isCut) return muted("The transcript of this part was dropped: it is bounded.");
  return muted(
    target.turn === undefined ? "No agent took a turn here." : "The transcript has nothing about this turn.",
  );
}

const muted = (text: string): Line => [piece(text, "muted")];

function textLines(text: string, ink: InkName = "text"): readonly Line[] {
  if (text.trim() === "") return [muted("(empty)")];
  const lines = safeText(text).replaceAll("\t", "  ").split("\n");
  return lines.slice(0, maxLines).map((line) => [piece(line, ink)]);
}

function answerLines(did: TurnActivity): readonly Line[] {
  const failure = did.failure === undefined ? [] : textLines(`✗ ${did.failure}`, "bad");
  if (did.said === "") return failure.length > 0 ? failure : [muted(did.isOver ? "(no answer)" : "Nothing said yet.")];
  return [...textLines(did.said), ...failure];
}

function toolLines(did: TurnActivity): readonly Line[] {
  if (did.tools.length === 0) return [muted("No tools used yet.")];
  return did.tools.flatMap((tool) => {
    const [sign, ink]: readonly [string, InkName] =
      tool.outcome === undefined ? ["◐", "accent"] : tool.outcome === "ok" ? ["✓", "good"] : ["✗", "bad"];
    const exit = tool.exitCode === undefined || tool.exitCode === 0 ? "" : `  exit ${tool.exitCode}`;
    const time = tool.ms === undefined ? "" : `  ${shortTime(tool.ms)}`;
    const head: Line = [
      piece(`${tool.agent === "" ? "" : "  └ "}${sign} `, ink),
      piece(toolText(tool)),
      piece(`${exit}${time}`, "muted"),
    ];
    const output = safeText(tool.output).trimEnd().split("\n").slice(-3);
    return [head, ...output.filter((line) => line !== "").map((line) => muted(`    ${line}`))];
  });
}

function diffLines(did: TurnActivity): readonly Line[] {
  const files = [...did.changes.values()];
  if (files.length === 0) return [muted("No file was changed by a tool that says so.")];
  const summary = files.map(({ path, added, removed }): Line => [
    piece(safeText(path)),
    piece(`  +${added}`, "good"),
    piece(` −${removed}`, "bad"),
  ]);
  const edits = did.tools.flatMap((tool) => {
    const diff = tool.outcome === "ok" ? toolDiff(tool.input) : undefined;
    if (diff === undefined || diff === "") return [];
    return [
      [] as Line,
      muted(toolText(tool)),
      ...safeText(diff)
        .split("\n")
        .slice(0, 400)
        .map((line): Line => [piece(line, line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : "muted")]),
    ];
  });
  return [...summary, ...edits];
}

/** Each key with its value, combined by its reducer, and who wrote to it last. */
function stateLines({ moment: { written, branches }, reducers }: InspectFacts): readonly Line[] {
  if (written.size === 0) return [muted("Nothing was written yet.")];
  return [...written].flatMap(([name, state]) => {
    const { value, problem, last } = combinedValue(state, branches, reducers?.[name]);
    const { key, seq, reducer } = last;
    const by = key === "" ? "at the start" : `by ${safeText(key)}`;
    const how = problem === undefined ? (reducer ?? "") : problemText(problem, reducers === undefined);
    return [
      [piece(safeText(name), "strong"), piece(`  ${by}, event ${seq}${how === "" ? "" : `  ${how}`}`, "muted")],
      ...textLines(JSON.stringify(value, undefined, 2) ?? "").map((line): Line => [piece("  "), ...line]),
    ];
  });
}

function problemText(problem: NonNullable<CombinedValue["problem"]>, isLoading: boolean): string {
  if (problem === "threw") return "only the last update: the workflow's own reducer fails here";
  return isLoading
    ? "loading the workflow's own reducer …"
    : "only the last update: the workflow's own reducer can't be loaded";
}

function evidenceLines({ moment, target }: InspectFacts): readonly Line[] {
  const all = moment.view.evidence.get(target.task ?? "") ?? [];
  if (all.length === 0) return [muted("Nothing was checked for this yet.")];
  return all.map(evidenceLine);
}

function evidenceLine({ command, exitCode, endedBy, tree, at }: Evidence): Line {
  const isGood = exitCode === 0;
  return [
    piece(isGood ? "✓ " : "✗ ", isGood ? "good" : "bad"),
    piece(safeText(command)),
    piece(
      `  ${exitCode === null ? `ended by ${endedBy ?? "a signal"}` : `exit ${exitCode}`}`,
      isGood ? "muted" : "bad",
    ),
    piece(`  tree ${tree === undefined ? "unknown" : tree.slice(0, 8)}  ${clockTime(at)}`, "muted"),
  ];
}
