// The tokens of a TypeScript file, without its grammar: just enough to find its imports and exports.
// A loop with an explicit stack, so that no file, however deep, can exhaust the program's stack (a recursive parser
// can be crashed by twenty kilobytes of brackets; see docs/decisions/040-catalog-and-trust.md).
//
// What it gets wrong is bounded, and known: a slash in some places is a pattern or a division depending on grammar that
// is not followed here. The rules below guess, and report the first such doubt: what comes after it may be misread.
// A wrong guess costs a listing a field; a trust question names it, because it may hide an import.
// JSX is not read: files that need it are refused by their extension.

export type TokenKind = "word" | "string" | "template" | "number" | "pattern" | "sign";

export interface SourceToken {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Words and signs as written. Strings and templates: see `textOf` in literals.ts. */
  readonly text: string;
  /** How many brackets of any kind are open around it. */
  readonly depth: number;
  readonly isAfterNewline: boolean;
}

const wordPart = /[\p{ID_Continue}$#\u{200c}-\u{200d}]/u;
const blank = /\s/u;
const lineEnd = /[\n\r\u{2028}\u{2029}]/u;
const lineEndFrom = /[\n\r\u{2028}\u{2029}]/gu;
// Regular expressions skip most of a file: files are read once, in a program that has just started, where a loop over
// characters would run in the interpreter.
const spaces = / */y;
const asciiWord = /[\w$#]*/y;
const plainOf = { '"': /[^"\\\n]*/y, "'": /[^'\\\n]*/y, "`": /[^`\\$]*/y } as const;
// Not `>=`: in `x: Map<A, B>= …` the two signs are separate.
const longSigns: ReadonlySet<string> = new Set(["=>", "?.", "++", "--", "**", "??", "&&", "||", "==", "!="]);
const signCharacters = ">.+-*?&|=";

/** After one of these words a value begins, so a slash opens a pattern. */
const beforeValue: ReadonlySet<string> = new Set(
  "return typeof case do else in of instanceof new void delete throw await yield extends default".split(" "),
);
/** The brackets after one of these hold a condition: a slash after them opens a pattern. */
const beforeCondition: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);

export interface SourceTokens {
  readonly tokens: readonly SourceToken[];
  /** The first string, comment or bracket that is not closed, if there is one. */
  readonly problem: { readonly message: string; readonly offset: number } | undefined;
  /** The first ambiguous slash, if there is one. */
  readonly doubt: number | undefined;
}

/** An open bracket. */
interface Open {
  readonly sign: string;
  readonly offset: number;
  /** After its end a slash divides: `(a + b) / 2`, `{}` as a value. */
  readonly isValue: boolean;
}

export function tokenize(source: string): SourceTokens {
  const tokens: SourceToken[] = [];
  const open: Open[] = [];
  let problem: SourceTokens["problem"];
  let doubt: number | undefined;
  let isAfterNewline = true;
  let lastClosed: Open | undefined;
  let at = source.startsWith("#!") ? endOfLine(source, 0) : 0;

  const push = (kind: TokenKind, end: number): void => {
    const text = kind === "word" || kind === "sign" ? source.slice(at, end) : "";
    tokens.push({ kind, start: at, end, text, depth: open.length, isAfterNewline });
    isAfterNewline = false;
    at = end;
  };
  const fail = (message: string, offset: number): void => {
    problem ??= { message, offset };
    at = source.length;
  };

  while (at < source.length) {
    const character = source[at] ?? "";
    if (character === " ") at = endOf(spaces, source, at);
    else if (isWordPart(character)) {
      if (isDigit(character)) push("number", endOfNumber(source, at));
      else push("word", endOfWord(source, at));
    } else if (isBlank(character)) {
      if (character === "\n" || lineEnd.test(character)) isAfterNewline = true;
      at++;
    } else if (character === "/") readSlash();
    else if (character === '"' || character === "'") {
      const end = endOfString(source, at, character);
      if (end < 0) fail("a string is not closed", at);
      else push("string", end);
    } else if (character === "`") readTemplate(at + 1);
    else if (character === "." && isDigit(source[at + 1] ?? "")) push("number", endOfNumber(source, at));
    else readSign(character);
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) problem ??= { message: `"${unclosed.sign}" is not closed`, offset: unclosed.offset };
  return { tokens, problem, doubt };

  /** A comment, a pattern, or a division. */
  function readSlash(): void {
    const next = source[at + 1];
    if (next === "/") at = endOfLine(source, at);
    else if (next === "*") {
      const end = source.indexOf("*/", at + 2);
      if (end < 0) return fail("a comment is not closed", at);
      if (lineEnd.test(source.slice(at, end))) isAfterNewline = true;
      at = end + 2;
    } else {
      if (isInDoubt()) doubt ??= at;
      readPatternOrDivision();
    }
    return undefined;
  }

  function readPatternOrDivision(): void {
    if (isPatternNext()) {
      const end = endOfPattern(source, at);
      if (end < 0) return fail("a regular expression is not closed", at);
      push("pattern", end);
    } else push("sign", at + 1);
    return undefined;
  }

  /** From `from` to the end of the template, or to its next `${`, which is an open bracket. */
  function readTemplate(from: number): void {
    for (let i = endOf(plainOf["`"], source, from); i < source.length; i = endOf(plainOf["`"], source, i + 1)) {
      if (source[i] === "\\") i++;
      else if (source[i] === "`") return push("template", i + 1);
      else if (source[i + 1] === "{") {
        push("template", i + 2);
        open.push({ sign: "${", offset: i, isValue: true });
        return undefined;
      }
    }
    return fail("a template is not closed", at);
  }

  function readSign(character: string): void {
    if (character === "(" || character === "[" || character === "{") {
      const bracket = { sign: character, offset: at, isValue: isValueBracket(character) };
      push("sign", at + 1);
      open.push(bracket);
    } else if (character === ")" || character === "]" || character === "}") {
      const bracket = open.pop();
      const expected = bracket?.sign === "(" ? ")" : bracket?.sign === "[" ? "]" : "}";
      if (bracket === undefined || character !== expected) return fail(`"${character}" closes nothing`, at);
      lastClosed = bracket;
      if (bracket.sign === "${") return readTemplate(at + 1);
      push("sign", at + 1);
    } else {
      const next = source[at + 1] ?? "";
      const isLong = signCharacters.includes(next) && longSigns.has(character + next);
      const isSpread = character === "." && source.startsWith("...", at);
      push("sign", at + (isSpread ? 3 : isLong ? 2 : 1));
    }
    return undefined;
  }

  function isValueBracket(sign: string): boolean {
    const last = tokens.at(-1);
    if (sign === "[") return true;
    if (sign === "(") return !isConditionNext();
    // An object stands where a value is expected; a block or a body stands anywhere else.
    if (last === undefined) return false;
    if (last.kind === "template") return true;
    if (last.kind === "word") return beforeValue.has(last.text) && last.text !== "do" && last.text !== "else";
    return last.kind === "sign" && ![")", "}", ";", "{", "=>", "]", ">"].includes(last.text);
  }

  /** `if (`, `for await (`; not `x.if(`, which is a call. */
  function isConditionNext(): boolean {
    const isAwait = wordAt(-1) === "await" && wordAt(-2) === "for";
    return isAwait ? !isMember(-2) : beforeCondition.has(wordAt(-1)) && !isMember(-1);
  }

  function isPatternNext(): boolean {
    const last = tokens.at(-1);
    if (last === undefined) return true;
    if (last.kind === "word") return beforeValue.has(last.text) && !isMember(-1);
    // Right after a `${` of a template; a template that ended is a value.
    if (last.kind === "template") return source[last.end - 1] === "{";
    if (last.kind !== "sign") return false;
    if (last.text === "]" || last.text === "++" || last.text === "--") return false;
    if (last.text === ")" || last.text === "}") return lastClosed?.isValue !== true;
    // `a! / b` divides: the mark belongs to the value before it.
    return last.text !== "!" || last.isAfterNewline || !isValueAt(-2);
  }

  /** Places that only the whole grammar can decide, and where a slash is very rare. */
  function isInDoubt(): boolean {
    const last = tokens.at(-1);
    if (last === undefined) return false;
    // A line may end with a type, and then a pattern begins the next one.
    if (isAfterNewline && isValueAt(-1)) return true;
    if (last.kind === "word") return last.text === "of" && !isMember(-1);
    if (last.text === "++" || last.text === "--") return last.isAfterNewline || !isValueAt(-2);
    if (last.text === "!") return tokens.at(-2)?.text === "}";
    return last.kind === "sign" && (last.text === "}" || last.text === ">");
  }

  /** True when a value may end with the token `back` places from the end. */
  function isValueAt(back: number): boolean {
    const token = tokens.at(back);
    if (token === undefined) return false;
    if (token.kind === "word") return !beforeValue.has(token.text) || isMember(back);
    if (token.kind === "template") return source[token.end - 1] !== "{";
    if (token.kind !== "sign") return true;
    if (token.text === ")") return lastClosed?.isValue === true;
    return token.text === "]" || token.text === "}";
  }

  function wordAt(back: number): string {
    const token = tokens.at(back);
    return token?.kind === "word" ? token.text : "";
  }

  /** The token is the name of a member: `x.if`, `x?.return`. */
  function isMember(back: number): boolean {
    const before = tokens.at(back - 1)?.text;
    return before === "." || before === "?.";
  }
}

/** Finds the line of an offset, counted from 1. */
export function createLineFinder(source: string): (offset: number) => number {
  const starts = [0];
  for (let i = source.indexOf("\n"); i >= 0; i = source.indexOf("\n", i + 1)) starts.push(i + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9" && character.length === 1;
}

function isBlank(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 128 ? code === 32 || (code > 8 && code < 14) : character === "\u{feff}" || blank.test(character);
}

function isWordPart(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code >= 97 && code <= 122) return true;
  if (code < 128)
    return (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 36 || code === 35;
  // Half of a surrogate pair: outside strings, these occur only in names.
  return (code >= 0xd800 && code <= 0xdfff) || wordPart.test(character);
}

/** Where the sticky pattern, which always matches, stops. */
function endOf(pattern: RegExp, source: string, from: number): number {
  if (from >= source.length) return source.length;
  pattern.lastIndex = from;
  pattern.test(source);
  return pattern.lastIndex;
}

function endOfWord(source: string, from: number): number {
  let end = endOf(asciiWord, source, from);
  while (end < source.length && isWordPart(source[end] ?? "")) end = endOf(asciiWord, source, end + 1);
  return end;
}

/** `1_000`, `0xff`, `1.5e-3`, `10n` */
function endOfNumber(source: string, from: number): number {
  let end = from + 1;
  for (; end < source.length; end++) {
    const character = source[end] ?? "";
    const isSignOfExponent = /[+-]/.test(character) && /[eE]/.test(source[end - 1] ?? "") && source[from + 1] !== "x";
    if (!isWordPart(character) && character !== "." && !isSignOfExponent) break;
    // `1..toFixed()` and `1.toString` end the number at their last dot.
    if (character === "." && source.slice(from, end).includes(".")) break;
  }
  return end;
}

function endOfLine(source: string, from: number): number {
  lineEndFrom.lastIndex = from;
  return lineEndFrom.exec(source)?.index ?? source.length;
}

function endOfString(source: string, from: number, quote: '"' | "'"): number {
  const plain = plainOf[quote];
  for (let i = endOf(plain, source, from + 1); i < source.length; i = endOf(plain, source, i + 1)) {
    if (source[i] === "\\") i++;
    else return source[i] === quote ? i + 1 : -1;
  }
  return -1;
}

function endOfPattern(source: string, from: number): number {
  let isInClass = false;
  for (let i = from + 1; i < source.length; i++) {
    const character = source[i];
    if (character === "\\") i++;
    else if (character === "\n") return -1;
    else if (character === "[") isInClass = true;
    else if (character === "]") isInClass = false;
    else if (character === "/" && !isInClass) {
      let end = i + 1;
      while (/[a-z]/i.test(source[end] ?? "")) end++;
      return end;
    }
  }
  return -1;
}
