// What the program says that a tool changed. It compares the file itself, so it also knows the lines that a `Write` over
// a file removed, and all places that one `Edit` replaced.

import { asFields, listIn, textIn } from "../fields.ts";
import type { FileChange } from "../tool-changes.ts";

/** Undefined where it says nothing, as about a new file: the tool's input has its lines. */
export function reportedChanges(result: unknown): readonly FileChange[] | undefined {
  const fields = asFields(result);
  const path = textIn(fields, "filePath");
  const lines = listIn(fields, "structuredPatch").flatMap(({ lines }) => (Array.isArray(lines) ? lines : []));
  if (path === undefined || lines.length === 0) return undefined;
  const count = (sign: string): number =>
    lines.filter((line) => typeof line === "string" && line.startsWith(sign)).length;
  return [{ path, added: count("+"), removed: count("-") }];
}
