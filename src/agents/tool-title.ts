// What a tool call works on, in one line, from the input of whichever program made it; and the size of a change.

import type { Json } from "../lib/json.ts";
import { diffLines, shortDiff } from "../lib/line-diff.ts";
import { safeLine } from "../lib/safe-text.ts";

/** The fields to show, by the names all programs use, the most informative first. */
const titleFields = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
  "question",
] as const;

const titleChars = 200;

export function toolTitle(input: Json): string {
  if (typeof input === "string") return safeLine(input, titleChars);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const fields = input as Readonly<Record<string, Json>>;
  for (const name of titleFields) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return safeLine(value, titleChars);
  }
  return "";
}

export interface ToolChange {
  readonly added?: number;
  readonly removed?: number;
}

/** Empty where the call changes no text of a file. */
export function toolChange(input: Json): ToolChange {
  const texts = changedText(input);
  if (texts === undefined) return {};
  // A new file needs no comparison, and most that agents write are new.
  if (texts.before === "" || texts.before.length + texts.after.length > maxDiffChars)
    return { added: linesOf(texts.after), removed: linesOf(texts.before) };
  const lines = diffLines(texts.before, texts.after);
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
  return { added: count("+"), removed: count("-") };
}

/** Comparing longer texts line by line takes longer than its result is worth. */
const maxDiffChars = 200_000;

function linesOf(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** The change itself, to be opened. */
export function toolDiff(input: Json): string | undefined {
  const texts = changedText(input);
  return texts === undefined ? undefined : shortDiff(texts.before, texts.after).join("\n");
}

function changedText(input: Json): { readonly before: string; readonly after: string } | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields = input as Readonly<Record<string, Json>>;
  const before = fields["old_string"] ?? fields["oldString"] ?? fields["old_str"];
  const after = fields["new_string"] ?? fields["newString"] ?? fields["new_str"];
  if (typeof before === "string" && typeof after === "string") return { before, after };
  const isFile = ["file_path", "filePath", "path"].some((name) => typeof fields[name] === "string");
  const content = fields["content"] ?? fields["file_text"];
  return isFile && typeof content === "string" ? { before: "", after: content } : undefined;
}

/** The file that a call is about, where it names one. */
export function toolPath(input: Json): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields = input as Readonly<Record<string, Json>>;
  return [fields["file_path"], fields["filePath"], fields["path"]].find((value) => typeof value === "string");
}
