// What a tool call works on, in one line, from the input of whichever program made it.

import type { Json } from "../lib/json.ts";
import { safeLine } from "../lib/safe-text.ts";
import { toolChanges } from "./tool-changes.ts";

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
  if (typeof input === "string") return safeLine(changedPaths(input) ?? input, titleChars);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const fields = input as Readonly<Record<string, Json>>;
  for (const name of titleFields) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return safeLine(value, titleChars);
  }
  return safeLine(changedPaths(input) ?? "", titleChars);
}

/** A patch names its files inside its text. */
function changedPaths(input: Json): string | undefined {
  const changes = toolChanges(input);
  return changes.length === 0 ? undefined : changes.map(({ path }) => path).join(", ");
}
