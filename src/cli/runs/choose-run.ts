// Several runs of the folder can be resumed, or forked, and none was named: lists them, and asks at a terminal which
// one. Where no user can be asked, nothing is done.

import { maxCandidates } from "../../app/runs/app-runs.ts";
import type { RunPage } from "../../app/run-page.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";
import type { Io } from "../io.ts";
import { shellWord } from "../print/question-text.ts";
import { statusText } from "../print/session-list.ts";

export interface RunChoice {
  /** The newest first. */
  readonly candidates: readonly RunPage[];
  /** Where the chosen run is to be forked; absent: it is resumed. */
  readonly from?: string | undefined;
}

/** Throws RUN_AMBIGUOUS when none is chosen. */
export function chooseRun(
  choice: RunChoice,
  now: number,
  io: Pick<Io, "warn" | "ask" | "isInteractive">,
  values: OptionValues,
): RunPage {
  const { candidates } = choice;
  if (!io.isInteractive || values["json"] === true || values["no-questions"] === true) throw refusal(choice, now);
  io.warn(`${heading(choice)}\n${candidates.map((page, i) => `  ${i + 1}  ${lineOf(page, now)}`).join("\n")}`);
  const answer = io.ask(`Which one? [1-${candidates.length}, Enter to cancel]`)?.trim() ?? "";
  const chosen = answer === "" ? undefined : candidates[Number(answer) - 1];
  if (chosen === undefined) throw refusal(choice, now);
  return chosen;
}

function refusal(choice: RunChoice, now: number): AtomicError {
  const { candidates, from } = choice;
  const lines = candidates.map((page) => `  ${lineOf(page, now)}`);
  const first = candidates[0]?.view.id ?? "ID";
  const again = from === undefined ? first : `${first} --from ${shellWord(safeLine(from, 60))}`;
  return new AtomicError(
    "RUN_AMBIGUOUS",
    `${heading(choice)}\n${lines.join("\n")}\nNothing was ${doneTo(choice)}. Name one: atomic resume ${again}`,
    { details: { runs: candidates.map(({ view }) => view.id) } },
  );
}

function heading(choice: RunChoice): string {
  const { length } = choice.candidates;
  return `${length < maxCandidates ? length : `${length} or more`} runs of this folder can be ${doneTo(choice)}:`;
}

function doneTo({ from }: RunChoice): string {
  return from === undefined ? "resumed" : "forked";
}

function lineOf({ view, status }: RunPage, now: number): string {
  const state = statusText({ status, reason: status === "paused" ? view.reason : undefined });
  const prompt = view.prompt === "" ? "" : `  ${safeLine(view.prompt, 60)}`;
  return `${view.id}  ${safeLine(view.workflow, 30)}  ${state}, ${formatDuration(Math.max(0, now - view.updatedAt))} ago${prompt}`;
}
