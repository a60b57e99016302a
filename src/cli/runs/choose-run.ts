// Several runs of the folder can be resumed and none was named: lists them, and asks at a terminal which one. Where no
// user can be asked, nothing is resumed.

import { maxCandidates } from "../../app/runs/app-runs.ts";
import type { RunPage } from "../../app/run-page.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";
import type { Io } from "../io.ts";
import { statusText } from "../print/session-list.ts";

/** `candidates`: the newest first. Throws RUN_AMBIGUOUS when none is chosen. */
export function chooseRun(
  candidates: readonly RunPage[],
  now: number,
  io: Pick<Io, "warn" | "ask" | "isInteractive">,
  values: OptionValues,
): RunPage {
  if (!io.isInteractive || values["json"] === true || values["no-questions"] === true) throw refusal(candidates, now);
  io.warn(`${heading(candidates)}\n${candidates.map((page, i) => `  ${i + 1}  ${lineOf(page, now)}`).join("\n")}`);
  const answer = io.ask(`Which one? [1-${candidates.length}, Enter to cancel]`)?.trim() ?? "";
  const chosen = answer === "" ? undefined : candidates[Number(answer) - 1];
  if (chosen === undefined) throw refusal(candidates, now);
  return chosen;
}

function refusal(candidates: readonly RunPage[], now: number): AtomicError {
  const lines = candidates.map((page) => `  ${lineOf(page, now)}`);
  const first = candidates[0]?.view.id ?? "ID";
  return new AtomicError(
    "RUN_AMBIGUOUS",
    `${heading(candidates)}\n${lines.join("\n")}\nNothing was resumed. Name one: atomic resume ${first}`,
    { details: { runs: candidates.map(({ view }) => view.id) } },
  );
}

function heading(candidates: readonly RunPage[]): string {
  const count = candidates.length < maxCandidates ? `${candidates.length}` : `${candidates.length} or more`;
  return `${count} runs of this folder can be resumed:`;
}

function lineOf({ view, status }: RunPage, now: number): string {
  const state = statusText({ status, reason: status === "paused" ? view.reason : undefined });
  const prompt = view.prompt === "" ? "" : `  ${safeLine(view.prompt, 60)}`;
  return `${view.id}  ${safeLine(view.workflow, 30)}  ${state}, ${formatDuration(Math.max(0, now - view.updatedAt))} ago${prompt}`;
}
