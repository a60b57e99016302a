// Evidence as lines: requirement, command, exit code, tree, fresh or stale. Pure.

import { cut, fit, type InkName, type Line, piece, rowsAround } from "../rows/line.ts";
import type { EvidenceCheck, Requirement } from "../runs/runs-port.ts";

export interface EvidenceRow {
  readonly requirement: Requirement;
  /** Undefined: nothing was checked for it. */
  readonly check: EvidenceCheck | undefined;
}

/** One row per check; a requirement without any has one too: that it has none is what counts. */
export function evidenceRows(requirements: readonly Requirement[]): readonly EvidenceRow[] {
  return requirements.flatMap((requirement): readonly EvidenceRow[] =>
    requirement.checks.length === 0
      ? [{ requirement, check: undefined }]
      : requirement.checks.map((check) => ({ requirement, check })),
  );
}

export function evidenceLines(
  rows: readonly EvidenceRow[],
  selected: number,
  width: number,
  height: number,
): readonly Line[] {
  const [from, to] = rowsAround(rows.length, selected, height);
  return rows.slice(from, to).map((row, i) => evidenceLine(row, from + i === selected, width));
}

function evidenceLine({ requirement, check }: EvidenceRow, isSelected: boolean, width: number): Line {
  const { task, title } = requirement;
  const [sign, ink] = signOf(check);
  const name = Math.max(12, Math.floor(width * 0.3));
  const end = check === undefined ? "" : endText(check);
  const tree = check?.tree === undefined ? "" : `tree ${check.tree.slice(0, 4)}`;
  const age = check === undefined ? "not checked" : ageText(check);
  const hasTree = width >= 80;
  const taken = 4 + name + 1 + 9 + (hasTree ? 12 : 0) + 16;
  return [
    piece(isSelected ? "❯ " : "  ", "accent"),
    piece(`${sign} `, ink),
    piece(`${fit(task === null ? title : `${task} ${title}`, name)} `, isSelected ? "selected" : "strong"),
    piece(fit(check?.command ?? "", Math.max(4, width - taken)), "text"),
    piece(` ${fit(end, 8)}`, check !== undefined && check.exitCode !== 0 ? "bad" : "muted"),
    ...(hasTree ? [piece(`  ${fit(tree, 10)}`, "muted")] : []),
    piece(` ${cut(age, 15)}`, ink),
  ];
}

function signOf(check: EvidenceCheck | undefined): readonly [string, InkName] {
  if (check === undefined) return ["○", "muted"];
  if (check.exitCode !== 0) return ["✗", "bad"];
  switch (check.age.state) {
    case "fresh":
      return ["✓", "good"];
    case "stale":
      return ["!", "accent"];
    case "unknown":
      return ["·", "muted"];
  }
}

function endText({ exitCode }: EvidenceCheck): string {
  return exitCode === null ? "ended" : `exit ${exitCode}`;
}

function ageText({ age }: EvidenceCheck): string {
  switch (age.state) {
    case "fresh":
      return "fresh";
    case "unknown":
      return "unknown";
    case "stale":
      return age.files === undefined ? "stale" : `stale, ${age.files} file${age.files === 1 ? "" : "s"}`;
  }
}

/** `4 of 7 fresh, 1 stale, 2 not checked`. */
export function evidenceSummary(rows: readonly EvidenceRow[], width: number): string {
  const count = (is: (row: EvidenceRow) => boolean): number => rows.filter(is).length;
  const fresh = count(({ check }) => check?.exitCode === 0 && check.age.state === "fresh");
  const stale = count(({ check }) => check?.exitCode === 0 && check.age.state === "stale");
  const failed = count(({ check }) => check !== undefined && check.exitCode !== 0);
  const none = count(({ check }) => check === undefined);
  if (width < 80) return `${fresh} of ${rows.length} fresh`;
  return [
    `${fresh} of ${rows.length} fresh`,
    ...(stale > 0 ? [`${stale} stale`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(none > 0 ? [`${none} not checked`] : []),
  ].join(" · ");
}
