// Values that can be read from a file without running it: strings, numbers, booleans, null, lists and objects of them,
// names of other such constants of the same file, joined strings, and any of these with `as …` or `satisfies …`.

import type { Plain } from "../plain-data.ts";
import type { SourceToken } from "./tokens.ts";

/** Undefined when it is not a literal, or not one we read. */
export type Literal = { readonly value: Plain; readonly next: number };

const maxDepth = 32;
// Constants that refer to each other can expand without end; a real file has a few dozen values.
const maxValues = 5000;
// Looking further for the end of a type would let a hostile file cost quadratic time.
const maxTypeTokens = 200;
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export interface LiteralReader {
  /** The value whose first token is `tokens[index]`, if it is a literal and nothing continues it. */
  read(index: number): Plain | undefined;
  /** The text of a string or of a template without `${`. */
  textOf(token: SourceToken): string | undefined;
}

/** `constants` maps a top-level constant to the start of its initialiser. */
export function createLiteralReader(
  source: string,
  tokens: readonly SourceToken[],
  constants: ReadonlyMap<string, number>,
): LiteralReader {
  const isSign = (index: number, text: string): boolean =>
    tokens[index]?.kind === "sign" && tokens[index]?.text === text;

  let left = maxValues;

  function readValue(index: number, depth: number): Literal | undefined {
    let sum = readTyped(index, depth);
    while (sum !== undefined && isSign(sum.next, "+")) {
      const right = readTyped(sum.next + 1, depth);
      if (right === undefined || typeof sum.value !== "string" || typeof right.value !== "string") return undefined;
      sum = { value: sum.value + right.value, next: right.next };
    }
    return sum;
  }

  /** A value, and the type that may follow it. */
  function readTyped(index: number, depth: number): Literal | undefined {
    const literal = readOne(index, depth);
    if (literal === undefined) return undefined;
    let { next } = literal;
    for (let token = tokens[next]; token?.text === "as" || token?.text === "satisfies"; token = tokens[next]) {
      next = skipType(tokens, next + 1);
    }
    return { value: literal.value, next };
  }

  function readOne(index: number, depth: number): Literal | undefined {
    const token = tokens[index];
    if (token === undefined || depth > maxDepth || --left < 0) return undefined;
    const after = index + 1;
    if (token.kind === "string" || token.kind === "template") {
      const value = textOf(token);
      return value === undefined ? undefined : { value, next: after };
    }
    if (token.kind === "number") return number(token, after, 1);
    if (token.kind === "word") return readName(token, after, depth);
    if (token.text === "-" && tokens[after]?.kind === "number") return number(tokens[after], after + 1, -1);
    if (token.text === "[") return readList(after, depth);
    if (token.text === "{") return readObject(after, depth);
    if (token.text !== "(") return undefined;
    const inner = readValue(after, depth + 1);
    return inner !== undefined && isSign(inner.next, ")") ? { value: inner.value, next: inner.next + 1 } : undefined;
  }

  function number(token: SourceToken, next: number, sign: number): Literal | undefined {
    const value = Number(source.slice(token.start, token.end).replaceAll("_", ""));
    return Number.isFinite(value) ? { value: sign * value, next } : undefined;
  }

  function readName(token: SourceToken, next: number, depth: number): Literal | undefined {
    if (token.text === "true" || token.text === "false") return { value: token.text === "true", next };
    if (token.text === "null") return { value: null, next };
    const initialiser = constants.get(token.text);
    const value = initialiser === undefined ? undefined : readWhole(initialiser, depth + 1);
    return value === undefined ? undefined : { value, next };
  }

  function readList(from: number, depth: number): Literal | undefined {
    const list: Plain[] = [];
    let index = from;
    while (!isSign(index, "]")) {
      const item = readValue(index, depth + 1);
      if (item === undefined) return undefined;
      list.push(item.value);
      index = isSign(item.next, ",") ? item.next + 1 : item.next;
      if (index === item.next && !isSign(index, "]")) return undefined;
    }
    return { value: Object.freeze(list), next: index + 1 };
  }

  function readObject(from: number, depth: number): Literal | undefined {
    const object: Record<string, Plain> = {};
    let index = from;
    while (!isSign(index, "}")) {
      const item = readProperty(index, depth);
      if (item === undefined) return undefined;
      object[item.key] = item.value;
      index = isSign(item.next, ",") ? item.next + 1 : item.next;
      if (index === item.next && !isSign(index, "}")) return undefined;
    }
    return { value: Object.freeze(object), next: index + 1 };
  }

  function readProperty(index: number, depth: number): (Literal & { key: string }) | undefined {
    const token = tokens[index];
    const key = token === undefined ? undefined : keyOf(token);
    if (token === undefined || key === undefined || forbidden.has(key)) return undefined;
    if (isSign(index + 1, ":")) {
      const literal = readValue(index + 2, depth + 1);
      return literal === undefined ? undefined : { ...literal, key };
    }
    // `{ name }` stands for `{ name: name }`.
    const literal = token.kind === "word" ? readName(token, index + 1, depth + 1) : undefined;
    return literal === undefined ? undefined : { ...literal, key };
  }

  function keyOf(token: SourceToken): string | undefined {
    if (token.kind === "word") return token.text;
    if (token.kind === "string") return textOf(token);
    return token.kind === "number" ? String(Number(source.slice(token.start, token.end))) : undefined;
  }

  function readWhole(index: number, depth: number): Plain | undefined {
    const literal = readValue(index, depth);
    return literal !== undefined && endsStatement(tokens[literal.next]) ? literal.value : undefined;
  }

  function textOf(token: SourceToken): string | undefined {
    const raw = source.slice(token.start, token.end);
    if (token.kind === "template" && !(raw.startsWith("`") && raw.endsWith("`") && raw.length > 1)) return undefined;
    return unescape(raw.slice(1, -1));
  }

  return { read: (index) => readWhole(index, 0), textOf };
}

/** True when what was read before this token is a whole expression. */
function endsStatement(token: SourceToken | undefined): boolean {
  if (token === undefined) return true;
  if (token.kind === "sign") return [";", ",", "}", ")"].includes(token.text);
  // Without a semicolon, a new line ends it, unless the line continues the expression.
  return token.isAfterNewline && token.kind === "word" && !["in", "instanceof"].includes(token.text);
}

/** The token after the type that starts at `index`: a type ends where its value, its statement or its bracket does. */
export function skipType(tokens: readonly SourceToken[], index: number): number {
  const depth = tokens[index]?.depth ?? 0;
  const end = Math.min(tokens.length, index + maxTypeTokens);
  let angles = 0;
  for (let i = index; i < end; i++) {
    const token = tokens[i];
    if (token === undefined || token.depth < depth) return i;
    if (token.depth > depth) continue;
    if (token.text === "<") angles++;
    else if (token.text === ">") angles--;
    else if (angles <= 0 && [",", ";", "="].includes(token.text)) return i;
    else if (angles <= 0 && i > index && token.kind === "word" && token.isAfterNewline && !isOpenType(tokens[i - 1])) {
      return i;
    }
  }
  return end;
}

/** A type that continues after this token, even on the next line. */
function isOpenType(token: SourceToken | undefined): boolean {
  if (token?.kind === "word") return ["extends", "keyof", "typeof", "readonly", "infer", "is"].includes(token.text);
  return token?.kind === "sign" && ["|", "&", "=>", "?", ":", "."].includes(token.text);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "0": "\0" };

function unescape(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw.replaceAll("\r\n", "\n");
  let isValid = true;
  const text = raw.replace(
    /\\(?:u\{([\dA-Fa-f]{1,6})\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|\r\n|([\s\S]))/g,
    (_whole, long?: string, short?: string, byte?: string, single?: string) => {
      const hex = long ?? short ?? byte;
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        if (code <= 0x10ffff) return String.fromCodePoint(code);
        isValid = false;
        return "";
      }
      if (single === undefined || single === "\n" || single === "\r") return "";
      if (single === "u" || single === "x") isValid = false;
      return escapes[single] ?? single;
    },
  );
  return isValid ? text : undefined;
}
