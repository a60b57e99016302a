// The command of `acp:<command>`, as a user writes it: words between spaces, quotes around words with spaces. No shell
// is involved: nothing is expanded, and nothing but the named program starts.

import { AtomicError } from "../../lib/errors.ts";

export interface Command {
  /** A name to be found on PATH, or an absolute path. */
  readonly file: string;
  readonly args: readonly string[];
}

/** Throws AGENT_UNAVAILABLE for a command that names no program, or one in the current folder. */
export function parseCommand(text: string): Command {
  const [file, ...args] = words(text);
  if (file === undefined || file === "")
    throw wrong(text, "it names no program. Write the program after `acp:`, as in `acp:gemini --experimental-acp`.");
  if (/[\\/]/.test(file) && !/^(?:\/|[A-Za-z]:[\\/])/.test(file))
    throw wrong(text, "a program is never taken from the current folder. Write its whole path, or a name on PATH.");
  return { file, args };
}

function words(text: string): readonly string[] {
  const found: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== undefined && char === quote) quote = undefined;
    else if (quote === undefined && (char === '"' || char === "'")) {
      quote = char;
      word ??= "";
    } else if (char === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + text.charAt(++at);
    else if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  if (quote !== undefined) throw wrong(text, `a quote (${quote}) is not closed.`);
  if (word !== undefined) found.push(word);
  return found;
}

function wrong(text: string, problem: string): AtomicError {
  return new AtomicError("AGENT_UNAVAILABLE", `The command "${text}" of an ACP agent can't be used: ${problem}`, {
    details: { command: text },
  });
}
