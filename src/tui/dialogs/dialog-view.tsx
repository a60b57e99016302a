/** @jsxImportSource @opentui/react */
// A dialog over a screen.

import { plainMarkdown } from "../../lib/plain-markdown.ts";
import { safeText } from "../../lib/safe-text.ts";
import type { Inks } from "../chat/ink.ts";
import { Panel } from "../frame/panel.tsx";
import { cut, type Line, piece, rowsAround } from "../rows/line.ts";
import { Lines } from "../rows/line-view.tsx";
import { type AnswerDialog, answerRows, type Dialog } from "./dialog.ts";

export interface DialogViewProps {
  readonly dialog: Dialog;
  readonly width: number;
  readonly height: number;
  readonly inks: Inks;
}

export function DialogView({ dialog, width, height, inks }: DialogViewProps) {
  if (dialog.kind === "answer")
    return (
      <Panel title={titleOf(dialog)} height={height} inks={inks}>
        <text {...inks.strong} style={{ flexShrink: 0 }}>
          {safeText(plainMarkdown(dialog.questions[dialog.at]?.text ?? "")).slice(0, 2000)}
        </text>
        <Lines lines={answerLines(dialog, width - 8, Math.max(2, height - 10))} inks={inks} />
      </Panel>
    );
  if (dialog.kind === "notice")
    return (
      <Panel title="refused" height={height} inks={inks}>
        <text {...inks.text} style={{ flexShrink: 0 }}>
          {safeText(dialog.text).slice(0, 4000)}
        </text>
        <Lines lines={[[], [piece("esc closes", "muted")]]} inks={inks} />
      </Panel>
    );
  return (
    <Panel title={dialog.title} height={height} inks={inks}>
      {dialog.lines.map((line, i) => (
        <text key={i} {...inks.text} style={{ flexShrink: 0 }}>
          {safeText(line).slice(0, 2000)}
        </text>
      ))}
      <Lines lines={[[], [piece(`enter ${dialog.accept}`, "accent"), piece("   esc no", "muted")]]} inks={inks} />
    </Panel>
  );
}

function titleOf({ questions, at }: AnswerDialog): string {
  return questions.length > 1 ? `question ${at + 1} of ${questions.length}` : "question";
}

function answerLines(dialog: AnswerDialog, width: number, most: number): readonly Line[] {
  const question = dialog.questions[dialog.at];
  if (question === undefined) return [];
  const rows = answerRows(question);
  const [from, to] = rowsAround(rows.length, dialog.selected, most);
  const lines = rows.slice(from, to).map((row, i): Line => {
    const isSelected = from + i === dialog.selected;
    const mark = piece(isSelected ? "❯ " : "  ", "accent");
    const ink = isSelected ? "selected" : "text";
    if (row.kind === "option") {
      const box = question.multiSelect ? (dialog.chosen.includes(row.label) ? "[x] " : "[ ] ") : "";
      const text = cut(`${from + i + 1} ${box}${row.label}`, width - 4);
      return [
        mark,
        piece(text, ink),
        piece(row.description === "" ? "" : `  ${cut(row.description, width - 30)}`, "muted"),
      ];
    }
    if (row.kind === "decline") return [mark, piece("decline: take the default", isSelected ? "selected" : "muted")];
    const typed = dialog.typed === "" ? "type an answer" : `${cut(dialog.typed, width - 6)}▏`;
    return [mark, piece(typed, isSelected ? "selected" : "muted")];
  });
  const hint = question.multiSelect ? "space chooses · enter sends · esc later" : "enter sends · esc later";
  return [[], ...lines, [], [piece(dialog.note ?? hint, dialog.note === undefined ? "muted" : "accent")]];
}
