// The files that a tool call changes, from the input of whichever program made it, and by how many lines. A call may
// change several files.

import type { Json } from "../lib/json.ts";
import { diffLines, shortDiff } from "../lib/line-diff.ts";
import { type Fields, fieldsOf, listIn, textIn } from "./fields.ts";
import { parsePatch } from "./patch-text.ts";

export interface FileChange {
  readonly path: string;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
}

/** A part of a file, or all of it, before and after a call. */
export interface FileEdit {
  /** Undefined where the call does not name the file. */
  readonly path: string | undefined;
  readonly before: string;
  readonly after: string;
}

/** The lines of all files together; empty where the call changes no text of a file. */
export interface ToolChange {
  readonly added?: number;
  readonly removed?: number;
}

/** Each file once, in the order they are named. A deleted file is one of them, even if its lines are not known. */
export function toolChanges(input: Json): readonly FileChange[] {
  return fileChanges(editsOf(input));
}

export function fileChanges(edits: readonly FileEdit[]): readonly FileChange[] {
  const files = new Map<string, FileChange>();
  for (const edit of edits) {
    if (edit.path === undefined || (edit.before === edit.after && edit.before !== "")) continue;
    const { added, removed } = countLines(edit);
    const known = files.get(edit.path) ?? { added: 0, removed: 0 };
    files.set(edit.path, { path: edit.path, added: known.added + added, removed: known.removed + removed });
  }
  return [...files.values()];
}

export function toolChange(input: Json): ToolChange {
  const edits = editsOf(input);
  return edits.length === 0 ? {} : sumOfLines(edits.map(countLines));
}

export function sumOfLines(counts: readonly Pick<FileChange, "added" | "removed">[]): Required<ToolChange> {
  let [added, removed] = [0, 0];
  for (const each of counts) {
    added += each.added;
    removed += each.removed;
  }
  return { added, removed };
}

/** The change itself, to be opened. Names the files if there are several. */
export function toolDiff(input: Json): string | undefined {
  const edits = editsOf(input);
  if (edits.length === 0) return undefined;
  const hasSeveralFiles = new Set(edits.map(({ path }) => path)).size > 1;
  return edits
    .flatMap(({ path, before, after }, i) => {
      const isNext = hasSeveralFiles && path !== edits[i - 1]?.path;
      return [...(isNext ? [path ?? ""] : []), ...shortDiff(before, after)];
    })
    .join("\n");
}

function countLines({ before, after }: Pick<FileEdit, "before" | "after">): Required<ToolChange> {
  // A new file needs no comparison, and most that agents write are new.
  if (before === "" || before.length + after.length > maxDiffChars)
    return { added: linesOf(after), removed: linesOf(before) };
  const lines = diffLines(before, after);
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
  return { added: count("+"), removed: count("-") };
}

/** Comparing longer texts line by line takes longer than its result is worth. */
const maxDiffChars = 200_000;

function linesOf(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function editsOf(input: Json): readonly FileEdit[] {
  const fields = fieldsOf(input);
  if (fields === undefined) return typeof input === "string" ? parsePatch(input) : [];
  const path = firstText(fields, ["file_path", "filePath", "path"]);
  const edits = [fields, ...listIn(fields, "edits")].flatMap((each) => replacement(each, path) ?? []);
  if (edits.length > 0) return edits;
  const content = firstText(fields, ["content", "file_text"]);
  if (path !== undefined && content !== undefined) return [{ path, before: "", after: content }];
  return parsePatch(firstText(fields, ["patchText", "patch", "input"]) ?? "");
}

function replacement(fields: Fields, path: string | undefined): FileEdit | undefined {
  const before = firstText(fields, ["old_string", "oldString", "old_str", "oldText"]);
  const after = firstText(fields, ["new_string", "newString", "new_str", "newText"]);
  return before === undefined || after === undefined ? undefined : { path, before, after };
}

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textIn(fields, name);
    if (text !== undefined) return text;
  }
  return undefined;
}
