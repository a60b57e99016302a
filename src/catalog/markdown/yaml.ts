// The YAML of a file's frontmatter, read with the runtime's parser after checks of our own. Owns the limits, the repair
// of lines that are not YAML but that other tools accept, and the line number in the refusal.
//
// Agents' files are written by hand, and `description: Use when: …` or `argument-hint: [a] | [b]` is not YAML. The
// tools these files were written for read such a line as plain text, and so does Atomic, with a warning.

import { messageOf } from "../../lib/errors.ts";
import { diagnostic, Refusal, type Diagnostic } from "../diagnostics.ts";
import { isPlainObject, toPlain, type PlainObject } from "../plain-data.ts";
import { parseYamlText } from "./yaml-parser.ts";

const maxYamlBytes = 64 * 1024;
const maxAliases = 16;

export interface YamlResult {
  readonly data: PlainObject;
  readonly notes: readonly Diagnostic[];
}

/** `firstLine` is the line of the file on which `source` starts. */
export function parseYaml(source: string, firstLine: number): YamlResult {
  if (source.length > maxYamlBytes) {
    throw new Refusal("too-large", `The frontmatter has more than ${maxYamlBytes / 1024} kB.`);
  }
  refuseManyAliases(source);
  const notes: Diagnostic[] = [];
  let parsed = tryParse(source);
  if ("problem" in parsed) {
    const repaired = repair(source, firstLine);
    const second = repaired === undefined ? parsed : tryParse(repaired.source);
    if (repaired === undefined || "problem" in second) {
      throw new Refusal("frontmatter-invalid", parsed.problem, firstLine + failingLine(source));
    }
    parsed = second;
    notes.push(...repaired.notes);
  }
  const { value, dropped } = toPlain(parsed.value);
  for (const path of dropped) notes.push(forbiddenKey(path));
  if (value === null) return { data: {}, notes };
  if (!isPlainObject(value)) {
    throw new Refusal("frontmatter-invalid", "The frontmatter must be a list of `key: value` lines.", firstLine);
  }
  return { data: value, notes };
}

export function forbiddenKey(path: string): Diagnostic {
  return diagnostic("warning", "forbidden-key", `The key "${path}" is not allowed and was left out.`);
}

/** Aliases are legal, but many of them are an attack: merging takes quadratic time even without nesting. */
function refuseManyAliases(source: string): void {
  if (!source.includes("&")) return;
  const anchors = new Set(Array.from(source.matchAll(/&([^\s,[\]{}]+)/g), (match) => match[1]));
  let uses = 0;
  for (const match of source.matchAll(/\*([^\s,[\]{}]+)/g)) {
    if (anchors.has(match[1]) && ++uses > maxAliases) {
      throw new Refusal("aliases", `More than ${maxAliases} YAML aliases. Write the values out.`);
    }
  }
}

function tryParse(source: string): { value: unknown } | { problem: string } {
  try {
    return { value: parseYamlText(source) };
  } catch (thrown) {
    // The parser limits its own recursion.
    if (thrown instanceof RangeError) throw new Refusal("too-deep", "The frontmatter is nested too deeply.");
    return { problem: `Not valid YAML: ${messageOf(thrown).replace(/^YAML Parse error: /, "")}.` };
  }
}

const topLevelLine = /^([A-Za-z_][\w-]*):[ \t]+([^"'|>\s].*)$/;

/** The source with every unreadable `key: text` line quoted; undefined if there is none. */
function repair(source: string, firstLine: number): { source: string; notes: Diagnostic[] } | undefined {
  const notes: Diagnostic[] = [];
  const lines = source.split("\n").map((line, index) => {
    const match = topLevelLine.exec(line);
    const [, key = "", text = ""] = match ?? [];
    if (match === null || !("problem" in tryParse(line))) return line;
    const message = `The value of "${key}" is not valid YAML and was read as plain text. Put it in quotes.`;
    notes.push(diagnostic("warning", "frontmatter-repaired", message, { line: firstLine + index }));
    return `${key}: ${JSON.stringify(text.trimEnd())}`;
  });
  return notes.length === 0 ? undefined : { source: lines.join("\n"), notes };
}

/** The parser reports no position. The failing line is the one after the longest beginning that can be parsed. */
function failingLine(source: string): number {
  const lines = source.split("\n");
  for (let count = Math.min(lines.length, 200) - 1; count > 0; count--) {
    if (!("problem" in tryParse(lines.slice(0, count).join("\n")))) return count;
  }
  return 0;
}
