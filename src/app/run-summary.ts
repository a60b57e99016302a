// What a list shows of a run, and whether a kept one is whole: it is read from files and databases that others write.

import { isRecord } from "../lib/is-record.ts";
import type { RunTotals } from "../workflows/limits/run-spending.ts";
import type { OpenQuestionView } from "../workflows/sessions/session-view.ts";
import type { RunStatus } from "./run-status.ts";

export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  /** What went wrong, or why it paused; for an unreadable run, what is wrong with its record. */
  readonly message?: string | undefined;
  readonly agent: string;
  readonly prompt: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly tasks: { readonly completed: number; readonly total: number };
  readonly totals: RunTotals;
  readonly questions: readonly OpenQuestionView[];
  readonly sessionDir: string;
}

const statuses: Readonly<Record<RunStatus, true>> = {
  running: true,
  paused: true,
  completed: true,
  failed: true,
  cancelled: true,
  interrupted: true,
  elsewhere: true,
  unreadable: true,
};
const texts = ["workflow", "agent", "prompt", "cwd", "sessionDir"] as const;
const amounts = ["turns", "inputTokens", "outputTokens", "costUsd", "turnsWithoutCost", "activeMs"] as const;

export function isRunSummary(value: unknown): value is RunSummary {
  if (!isRecord(value)) return false;
  const { status, reason = "", message = "", tasks, totals, questions } = value;
  return (
    texts.every((name) => typeof value[name] === "string") &&
    [value["id"], reason, message].every((text) => typeof text === "string") &&
    typeof status === "string" &&
    Object.hasOwn(statuses, status) &&
    isTime(value["createdAt"]) &&
    isTime(value["updatedAt"]) &&
    hasNumbers(tasks, ["completed", "total"]) &&
    hasNumbers(totals, amounts) &&
    Array.isArray(questions) &&
    questions.every(isQuestion)
  );
}

function isTime(value: unknown): boolean {
  // What a date can hold.
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}

function hasNumbers(value: unknown, names: readonly string[]): boolean {
  return isRecord(value) && names.every((name) => Number.isFinite(value[name]));
}

function isQuestion(value: unknown): value is OpenQuestionView {
  if (!isRecord(value)) return false;
  const { name = "", header = "", options, multiSelect, freeText } = value;
  const own = [value["id"], value["text"], value["node"], value["key"], name, header];
  return (
    own.every((text) => typeof text === "string") &&
    [multiSelect, freeText].every((flag) => typeof flag === "boolean") &&
    Array.isArray(options) &&
    options.every((option) => isRecord(option) && typeof option["label"] === "string")
  );
}
