// The report that a workflow writes at its end (`report.written`), for a user. Any workflow may write one: a list of
// tasks with their checks is laid out, `notes` are lines that say the rest in words, and without them everything else is
// shown as it is.

import { isJsonObject } from "../../lib/is-record.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";

export function reportText(report: Json | undefined): string {
  if (typeof report === "string") return safeText(report);
  if (!isJsonObject(report)) return "";
  const { tasks, notes, ...rest } = report;
  const lines = ["Report"];
  if (Array.isArray(tasks))
    for (const task of tasks as readonly Json[]) if (isJsonObject(task)) lines.push(...taskLines(task));
  if (Array.isArray(notes)) return [...lines, ...(notes as readonly Json[]).map(noteLine)].join("\n");
  for (const [name, value] of Object.entries(rest)) if (!isEmpty(value)) lines.push(...fieldLines(name, value, "  "));
  return lines.join("\n");
}

/** Spaces at its start say that it belongs to the one above. */
function noteLine(note: Json): string {
  const text = typeof note === "string" ? note : JSON.stringify(note);
  return `  ${/^ */.exec(text)?.[0] ?? ""}${show(text.trim(), 500)}`;
}

function taskLines(task: JsonObject): readonly string[] {
  const tries = typeof task["tries"] === "number" && task["tries"] > 1 ? `, ${task["tries"]} tries` : "";
  const cost = typeof task["costUsd"] === "number" ? `, $${task["costUsd"].toFixed(4)}` : "";
  const head = `  ${show(task["id"], 40)}  ${show(task["title"])}: ${show(task["status"])}${tries}${cost}`;
  const checks = (Array.isArray(task["checks"]) ? (task["checks"] as readonly Json[]) : []).filter(isJsonObject);
  const asked = task["asked"] !== task["title"] && typeof task["asked"] === "string" ? [task["asked"]] : [];
  return [
    head,
    ...asked.map((text) => `      asked: ${show(text)}`),
    ...checks.map((check) => `      ${show(check["command"])}: ${endOf(check)}${treeOf(check)}`),
    ...(task["error"] === undefined ? [] : [`      ${show(task["error"], 500)}`]),
  ];
}

function endOf({ exitCode, endedBy }: JsonObject): string {
  return typeof exitCode === "number" ? `exit ${exitCode}` : `ended by ${show(endedBy) || "a signal"}`;
}

function treeOf({ tree, treeAfter }: JsonObject): string {
  if (typeof tree !== "string" || tree === "") return "";
  const became = typeof treeAfter === "string" && treeAfter !== tree ? " that was being written to" : "";
  return ` on tree ${safeLine(tree, 12)}${became}`;
}

function fieldLines(name: string, value: Json, indent: string): readonly string[] {
  if (Array.isArray(value)) {
    return [`${indent}${safeLine(name)}:`, ...(value as readonly Json[]).map((item) => `${indent}  - ${inline(item)}`)];
  }
  return [`${indent}${safeLine(name)}: ${inline(value)}`];
}

function inline(value: Json): string {
  if (!isJsonObject(value)) return show(value, 500);
  const parts = Object.entries(value).filter(([, part]) => !isEmpty(part));
  return parts
    .map(([name, part]) => `${safeLine(name)} ${isJsonObject(part) ? `(${inline(part)})` : show(part, 300)}`)
    .join(", ");
}

function show(value: Json | undefined, length = 200): string {
  if (typeof value === "string") return safeLine(value, length);
  if (Array.isArray(value))
    return (value as readonly Json[])
      .map((item) => (isJsonObject(item) ? `(${inline(item)})` : show(item, length)))
      .join(", ");
  return value === undefined || value === null ? "" : safeLine(JSON.stringify(value), length);
}

function isEmpty(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
