// What a task asks for, in words: its description, acceptance criteria, steps and whatever else its file knows about it.
// The file's unknown parts may be of any JSON shape and any size; what comes out is readable and bounded.

import type { Json } from "../lib/json.ts";
import type { WorkflowTask } from "./workflow-task.ts";

export interface TaskDetail {
  readonly title: string;
  readonly text: string;
}

/** For one part of a task, in characters. */
const maxTextChars = 20_000;
const maxLevels = 6;
const maxItems = 200;

/** In the order a reader wants them. Parts that are empty are left out. */
export function taskDetails(task: WorkflowTask): readonly TaskDetail[] {
  const own = { title: "The task", text: ownDescription(task) ?? "" };
  const details = task.metadata === undefined ? [own] : [own, ...detailsIn(task.metadata)];
  return details
    .filter(({ text }) => text.trim() !== "")
    .map(({ title, text }) => ({ title, text: clipped(text, maxTextChars) }));
}

function detailsIn(metadata: NonNullable<WorkflowTask["metadata"]>): readonly TaskDetail[] {
  const { acceptanceCriteria, steps, category, ...others } = metadata;
  return [
    { title: "Acceptance criteria", text: valueText(acceptanceCriteria) },
    { title: "Steps", text: numbered(steps) },
    { title: "Category", text: valueText(category) },
    { title: "Also known about it", text: valueText(others) },
  ];
}

/** What was asked for, in one text: for a report. */
export function askedFor(task: WorkflowTask): string {
  const { acceptanceCriteria, steps } = task.metadata ?? {};
  const text = ownDescription(task) ?? (inOneLine(acceptanceCriteria) || inOneLine(steps) || task.title);
  return clipped(text, maxTextChars);
}

/** The list of acceptance criteria as texts, whatever shape the file gives it. */
export function acceptanceCriteriaOf({ metadata }: WorkflowTask): readonly string[] {
  return textsOf(metadata?.["acceptanceCriteria"]).map((text) => clipped(text, maxTextChars));
}

/** A migrated feature list has only the category there, which is shown separately. */
function ownDescription({ description, metadata }: WorkflowTask): string | undefined {
  if (description === undefined || description.trim() === "") return undefined;
  const category = metadata?.["category"];
  return typeof category === "string" && description === `Category: ${category}` ? undefined : description;
}

function textsOf(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value ?? null];
  return list.map((item) => valueText(item)).filter((text) => text.trim() !== "");
}

function inOneLine(value: Json | undefined): string {
  return textsOf(value)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .join("; ");
}

function numbered(value: Json | undefined): string {
  const texts = textsOf(value);
  return texts.length <= 1 ? (texts[0] ?? "") : texts.map((text, i) => `${i + 1}. ${indented(text, "   ")}`).join("\n");
}

/** Lists as bullets, objects as `name: value` lines, indented by level. */
function valueText(value: Json | undefined, level = 0): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  if (level >= maxLevels) return clipped(JSON.stringify(value), 500);
  const entries = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => ["-", item] as const)
    : Object.entries(value).map(([name, item]) => [`${name}:`, item] as const);
  const lines = entries.slice(0, maxItems).flatMap(([label, item]) => {
    const text = valueText(item, level + 1);
    if (text.trim() === "") return [];
    const isBlock = label !== "-" && (text.includes("\n") || (typeof item === "object" && item !== null));
    return [isBlock ? `${label}\n  ${indented(text, "  ")}` : `${label} ${indented(text, "  ")}`];
  });
  const left = entries.length - maxItems;
  if (left > 0) lines.push(`… and ${left} more`);
  return lines.join("\n");
}

function indented(text: string, indent: string): string {
  return text.replaceAll("\n", `\n${indent}`);
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
