/** @jsxImportSource @opentui/react */
// The lines around the conversation: who it is with, what waits, what is asked, what is typed, what it has cost.

import type { AgentQuestion } from "../../agents/questions.ts";
import type { ChatView } from "../../chat/chat-view.ts";
import { plainMarkdown } from "../../lib/plain-markdown.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import { type Completion, cutHint, hintColumns, nameColumns, visibleRange } from "../input/completion.ts";
import { characterAt, type InputState, shownText } from "../input/input-state.ts";
import { useTicking } from "../use-ticking.ts";
import { columnsOf, cut } from "../rows/line.ts";
import { contextText, money, shortTime } from "./format.ts";
import type { Find } from "./find.ts";
import type { Inks } from "./ink.ts";
import { remaining } from "./remaining.ts";
import { type QuestionState, questionRows } from "./screen-state.ts";

export interface HeaderProps {
  readonly view: ChatView;
  readonly place: string;
  readonly inks: Inks;
  readonly width: number;
}

export function Header({ view, place, inks, width }: HeaderProps) {
  const model = view.modelServed ?? view.model;
  // The embedded agent's model has the agent's own name, which is not said twice, unless it was chosen.
  const hasModel = model !== undefined && (view.model !== undefined || !view.agent.startsWith(model));
  const who = [view.agent, ...(hasModel ? [model] : []), ...(view.isProjectTrusted ? ["trusted"] : [])];
  const folder = safeLine(view.cwd.split("/").at(-1) ?? "", 40);
  const branch = place === "" ? "" : `  ${safeLine(place, 40)}`;
  // A column at each edge, and two between.
  const room = Math.max(8, width - 4 - columnsOf(folder + branch));
  return (
    <box style={{ flexDirection: "row", height: 1, flexShrink: 0, paddingLeft: 1, paddingRight: 1 }}>
      <text {...inks.strong} style={{ flexShrink: 0 }} wrapMode="none">
        {folder}
      </text>
      <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
        {branch}
      </text>
      <box style={{ flexGrow: 1 }} />
      <text {...inks.muted} style={{ flexShrink: 0, height: 1 }} wrapMode="none">
        {cut(who.map((part) => safeLine(part, 60)).join(" · "), room)}
      </text>
    </box>
  );
}

export interface FooterProps {
  readonly view: ChatView;
  readonly clock: () => number;
  readonly inks: Inks;
  readonly note: string | undefined;
  readonly stopLabel: string;
  readonly width: number;
}

export function Footer({ view, clock, inks, note, stopLabel, width }: FooterProps) {
  const { context, turn, costUsd, workedMs } = view;
  const now = useTicking(clock, turn !== undefined);
  const isNew = turn === undefined && workedMs === 0;
  const facts = [
    ...(context === undefined ? [] : [contextText(context.used, context.max, width >= 80)]),
    ...(costUsd > 0 ? [money(costUsd)] : []),
    isNew ? firstHint : shortTime(workedMs + (turn === undefined ? 0 : Math.max(0, now - turn.startedAt))),
  ];
  const doing = turn === undefined ? "" : `${phaseText(view)}   ${stopLabel} stop   `;
  return (
    <box style={{ flexDirection: "row", height: 1, flexShrink: 0, paddingLeft: 1, paddingRight: 1 }}>
      <text {...(note === undefined ? inks.muted : inks.accent)} style={remaining} wrapMode="none" truncate>
        {note === undefined ? facts.join("   ") : safeLine(note, 200)}
      </text>
      <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
        {`  ${doing}? keys`}
      </text>
    </box>
  );
}

/** Shown before the first message. */
const firstHint = "/ commands   @ files";

/** Every wait shows what it waits for. */
function phaseText({ turn, live, questions }: ChatView): string {
  switch (turn?.phase) {
    case "starting":
      return "starting the agent";
    case "asking":
      return questions.length > 1 ? `${questions.length} questions wait for you` : "waits for you";
    case "stopping":
      return "stopping";
    case "compacting":
      return "compacting";
    default: {
      const tool = live.findLast((block) => block.kind === "tool" || block.kind === "subagent");
      return tool === undefined ? "working" : `running ${safeLine(tool.name, 20)}`;
    }
  }
}

export interface QueueProps {
  readonly queue: ChatView["queue"];
  readonly selected: number | undefined;
  readonly inks: Inks;
  readonly width: number;
}

export function Queue({ queue, selected, inks, width }: QueueProps) {
  if (queue.length === 0) return null;
  const hint = selected === undefined ? "  ↑ edits" : "  enter edits · s sends · del · alt+↑↓";
  const texts = queue.map(({ line }, i) => `${i + 1} ${safeLine(line, 40)}    `);
  // A column at each edge.
  const room = width - 2 - columnsOf(queueTitle + hint);
  const from = selected === undefined ? 0 : firstShown(texts, selected, room);
  return (
    <box style={{ flexDirection: "row", flexShrink: 0, height: 1, paddingLeft: 1, paddingRight: 1 }}>
      <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
        {queueTitle}
      </text>
      <box style={{ ...remaining, flexDirection: "row", overflow: "hidden" }}>
        {queue.slice(from).map(({ id }, i) => (
          <text
            key={id}
            {...(from + i === selected ? inks.selected : inks.text)}
            style={{ flexShrink: 0 }}
            wrapMode="none"
          >
            {texts[from + i]}
          </text>
        ))}
      </box>
      <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
        {hint}
      </text>
    </box>
  );
}

const queueTitle = "queued  ";

/** The one that is chosen is always shown; where there is no room, those before it are left out. */
function firstShown(texts: readonly string[], selected: number, room: number): number {
  let used = columnsOf(texts[selected] ?? "");
  let from = selected;
  while (from > 0) {
    used += columnsOf(texts[from - 1] ?? "");
    if (used > room) return from;
    from--;
  }
  return from;
}

export function Suggestions({ completion, inks }: { readonly completion: Completion; readonly inks: Inks }) {
  if (completion.state !== "suggesting") return null;
  const [from, to] = visibleRange(completion.suggestions.length, completion.selected);
  return (
    <box style={{ flexDirection: "column", flexShrink: 0, backgroundColor: inks.panel }}>
      {completion.suggestions.slice(from, to).map(({ insert, name, hint, description, category }, i) => {
        const isSelected = from + i === completion.selected;
        if (category === "file" || category === "folder")
          return <PathRow key={insert} name={name} description={description} isSelected={isSelected} inks={inks} />;
        return (
          <box key={insert} style={{ flexDirection: "row", height: 1, paddingLeft: 2, paddingRight: 2 }}>
            <text
              {...(isSelected ? inks.selected : inks.text)}
              style={{ width: nameColumns, flexShrink: 0 }}
              wrapMode="none"
              truncate
            >
              {safeLine(name, nameColumns)}
            </text>
            <text {...inks.muted} style={{ width: hintColumns, flexShrink: 0 }} wrapMode="none">
              {cutHint(safeLine(hint, 400))}
            </text>
            <text
              {...(isSelected ? inks.accent : inks.muted)}
              style={{ flexGrow: 1, flexShrink: 1, height: 1 }}
              wrapMode="none"
              truncate
            >
              {safeLine(description, 200)}
            </text>
          </box>
        );
      })}
    </box>
  );
}

interface PathRowProps {
  readonly name: string;
  readonly description: string;
  readonly isSelected: boolean;
  readonly inks: Inks;
}

/** A path takes the whole row: its end says more than its beginning. */
function PathRow({ name, description, isSelected, inks }: PathRowProps) {
  return (
    <box style={{ flexDirection: "row", height: 1, paddingLeft: 2, paddingRight: 2 }}>
      <text {...(isSelected ? inks.selected : inks.text)} style={remaining} wrapMode="none" truncate>
        {safeLine(name, 300)}
      </text>
      <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
        {description === "" ? "" : `  ${description}`}
      </text>
    </box>
  );
}

export interface QuestionProps {
  readonly question: AgentQuestion;
  readonly state: QuestionState;
  readonly waiting: number;
  readonly inks: Inks;
  readonly onFocus: () => void;
}

export function QuestionPanel({ question, state, waiting, inks, onFocus }: QuestionProps) {
  const item = question.items[state.item];
  if (item === undefined) return null;
  const rows = questionRows(question, state.item);
  const steps = question.items.length > 1 ? `  ${state.item + 1} of ${question.items.length}` : "";
  const more = waiting > 1 ? `  (${waiting - 1} more)` : "";
  return (
    <box
      style={{ flexDirection: "column", flexShrink: 0, backgroundColor: inks.panel, paddingLeft: 1, paddingRight: 1 }}
      onMouseDown={onFocus}
    >
      <text {...inks.accent} style={{ flexShrink: 0 }}>
        {`? ${safeText(plainMarkdown(item.text))}${steps}${more}`}
      </text>
      {rows.map((row, i) => {
        const isSelected = state.isFocused && i === state.selected;
        const mark = isSelected ? "❯" : " ";
        const ink = isSelected ? inks.selected : inks.text;
        if (row.kind === "option") {
          const box = item.isMultiple ? (state.chosen.includes(row.label) ? "[x] " : "[ ] ") : "";
          return (
            <text key={i} {...ink} style={{ height: 1, flexShrink: 0 }} wrapMode="none" truncate>
              {`${mark} ${i + 1} ${box}${safeLine(row.label, 100)}${row.description === "" ? "" : `  ${safeLine(row.description, 200)}`}`}
            </text>
          );
        }
        const text =
          row.kind === "decline" ? "decline" : state.typed === "" ? "type an answer" : `${safeLine(state.typed, 400)}▏`;
        return (
          <text
            key={i}
            {...(isSelected ? inks.selected : inks.muted)}
            style={{ height: 1, flexShrink: 0 }}
            wrapMode="none"
            truncate
          >
            {`${mark} ${text}`}
          </text>
        );
      })}
      <text {...inks.muted} style={{ height: 1, flexShrink: 0 }} wrapMode="none" truncate>
        {state.isFocused ? "↑↓ or a number chooses, enter answers, esc later" : "tab to answer"}
      </text>
    </box>
  );
}

export interface FindLineProps {
  readonly find: Find;
  readonly matches: number;
  readonly inks: Inks;
}

export function FindLine({ find: { query, at }, matches, inks }: FindLineProps) {
  const count = query.trim() === "" ? "" : matches === 0 ? "not found" : `${at + 1} of ${matches}`;
  return (
    <box style={{ flexDirection: "row", flexShrink: 0, height: 1, paddingLeft: 1, paddingRight: 1 }}>
      <text {...inks.accent} style={remaining} wrapMode="none" truncate>
        {`find  ${safeLine(query, 100)}▏`}
      </text>
      <text {...inks.muted} style={{ flexShrink: 0 }} wrapMode="none">
        {`${count}   enter older · ↓ newer · esc`}
      </text>
    </box>
  );
}

export interface InputProps {
  readonly input: InputState;
  readonly hint: string;
  readonly isFocused: boolean;
  readonly inks: Inks;
  /** How many lines it may take. */
  readonly rows: number;
}

export function InputLine({ input, hint, isFocused, inks, rows }: InputProps) {
  const shown = shownText(input);
  const { text, cursor } = windowOf(shown.text, shown.cursor, rows);
  const at = characterAt(text, cursor);
  const rest = text.slice(cursor + at.length);
  const isBreak = at === "\n" || at === "";
  return (
    <box style={{ flexDirection: "row", flexShrink: 0, paddingLeft: 1, paddingRight: 1 }}>
      <text {...inks.accent} style={{ width: 2, flexShrink: 0 }}>
        ❯
      </text>
      <text {...inks.text} style={{ flexGrow: 1, flexShrink: 1 }} wrapMode="char">
        {safeText(text.slice(0, cursor))}
        {isFocused ? (
          <span fg={inks.text.fg} attributes={cursorAttributes}>
            {isBreak ? " " : safeText(at)}
          </span>
        ) : (
          safeText(isBreak ? "" : at)
        )}
        {isBreak ? at : ""}
        {safeText(rest)}
        {hint === "" ? "" : <span {...inks.muted}>{safeLine(hint, 200)}</span>}
      </text>
    </box>
  );
}

/** Inverse: seen with and without colours. */
const cursorAttributes = 32;

/** The lines around the cursor, when there are more than fit. */
function windowOf(text: string, cursor: number, rows: number): { readonly text: string; readonly cursor: number } {
  const lines = text.split("\n");
  if (lines.length <= rows) return { text, cursor };
  const line = text.slice(0, cursor).split("\n").length - 1;
  const from = Math.max(0, Math.min(line - rows + 1, lines.length - rows));
  const skipped = lines.slice(0, from).join("\n").length + (from > 0 ? 1 : 0);
  return { text: lines.slice(from, from + rows).join("\n"), cursor: cursor - skipped };
}
