// A markdown file in the format that agents use: optional frontmatter between two `---` lines, then the prompt.
// Owns where frontmatter starts and ends. Only YAML is read, and nothing in it is ever run.

import { Refusal, type Diagnostic } from "../diagnostics.ts";
import type { PlainObject } from "../plain-data.ts";
import { parseYaml } from "./yaml.ts";

export interface MarkdownDocument {
  readonly frontmatter: PlainObject;
  readonly body: string;
  readonly notes: readonly Diagnostic[];
}

/** `text` has `\n` line ends and no byte order mark (see readTextFile). */
export function parseMarkdown(text: string): MarkdownDocument {
  if (text.trim() === "") throw new Refusal("empty", "The file is empty.");
  const opening = /^---[ \t]*([A-Za-z]*)[ \t]*(?:\n|$)/.exec(text);
  if (opening === null) return { frontmatter: {}, body: text.trim(), notes: [] };
  const language = (opening[1] ?? "").toLowerCase();
  if (language !== "" && language !== "yaml" && language !== "yml") {
    const message = `Frontmatter in "${language}" is not supported, and was not run. Use YAML between two "---" lines.`;
    throw new Refusal("frontmatter-script", message, 1);
  }
  const rest = text.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(rest);
  if (closing === null) {
    throw new Refusal("frontmatter-unclosed", 'The frontmatter starts with "---" and has no closing "---" line.', 1);
  }
  const { data, notes } = parseYaml(rest.slice(0, closing.index), 2);
  return { frontmatter: data, body: rest.slice(closing.index + closing[0].length).trim(), notes };
}
