// A line that starts with a slash, taken apart: the command's name, what follows it, and that in words.

import { AtomicError } from "../lib/errors.ts";

export interface SlashLine {
  readonly name: string;
  /** True as soon as there is a space after the name: then the hint gives way to what is typed. */
  readonly hasArguments: boolean;
  readonly args: string;
}

/** Undefined for a line that is not a slash command, such as a path like `/usr/bin`. */
export function parseSlashLine(line: string): SlashLine | undefined {
  const match = /^\/([^\s/]*)(?:\s([\s\S]*))?$/.exec(line);
  if (match === null) return undefined;
  const [, name = "", args] = match;
  return { name, hasArguments: args !== undefined, args: args ?? "" };
}

/** Words as a shell would split them: quotes hold words together, a backslash takes the next character as it is. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      word = (word ?? "") + text.charAt(++at);
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? "") + character;
    } else if ((character === '"' || character === "'") && word === undefined) {
      // Only at the beginning of a word: an apostrophe in a sentence opens nothing.
      quote = character;
      word = "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) throw new AtomicError("USAGE", `A quotation mark ${quote} is never closed.`);
  if (word !== undefined) words.push(word);
  return words;
}
