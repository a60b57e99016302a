// Finds ways to load or run code besides an import with a literal path. A trust question has to name them, because no
// hash covers them. It matches names, so it finds what code does openly and the usual disguises. It can't find code
// that builds such names from data: trusting a file means trusting what it does.

import type { SourceToken } from "./tokens.ts";

export interface LoadFinder {
  /** What the token at this index starts, in a few words; undefined for nearly all tokens. */
  at(index: number): string | undefined;
  /** The runtime's own global is used, as if `bun` were imported. */
  isBun(index: number): boolean;
}

/** Called on any object: `import.meta.require("x")`, `module.createRequire(url)`. */
const memberCalls: ReadonlyMap<string, string> = new Map([
  ["require", "require()"],
  ["createRequire", "createRequire()"],
  ["Worker", "new Worker()"],
  ["eval", "eval()"],
  ["Function", "Function()"],
]);

/** Names that have no other use. */
const tellingNames: ReadonlySet<string> = new Set([
  "getBuiltinModule",
  "_linkedBinding",
  "mainModule",
  "_load",
  "_compile",
  "WebAssembly",
  "ShadowRealm",
  "SharedWorker",
]);

/** In `x["name"]`. */
const tellingKeys: ReadonlySet<string> = new Set([
  ...memberCalls.keys(),
  ...tellingNames,
  ...["constructor", "binding", "dlopen", "$", "spawn", "spawnSync"],
]);

const harmlessMeta: ReadonlySet<string> = new Set(
  "url dir dirname file filename path main env hot resolve resolveSync".split(" "),
);
const processLoads: ReadonlySet<string> = new Set(["binding", "dlopen"]);
/** Members that run a command, or change how code is loaded. */
const bunLoads: ReadonlySet<string> = new Set(["$", "spawn", "spawnSync", "plugin", "build"]);

/** `globalThis.eval` is `eval`. */
const globalObjects: ReadonlySet<string> = new Set(["globalThis", "global", "self"]);

/** The only tokens that are examined. */
const noted: ReadonlySet<string> = new Set([
  ...memberCalls.keys(),
  ...tellingNames,
  ...["constructor", "import", "globalThis", "global", "process", "Bun", "setTimeout", "setInterval"],
]);

/** After one of these a name stands for its value, not for a declaration. */
const beforeValue: ReadonlySet<string> = new Set("= ( , [ return => ?? || && ? ...".split(" "));
const comparisons: ReadonlySet<string> = new Set(["==", "!="]);
/** Before a bracket that opens a list and not a member. */
const beforeList: ReadonlySet<string> = new Set(
  "return typeof case do else in of instanceof new void delete throw await yield default const let var".split(" "),
);
const maxInBrackets = 40;

export function createLoadFinder(
  tokens: readonly SourceToken[],
  textOf: (token: SourceToken) => string | undefined,
): LoadFinder {
  const text = (index: number): string => tokens[index]?.text ?? "";
  const isDot = (index: number): boolean => text(index) === "." || text(index) === "?.";
  const isCall = (index: number): boolean =>
    text(index + 1) === "(" || (text(index + 1) === "?." && text(index + 2) === "(");
  const isString = (index: number): boolean => tokens[index]?.kind === "string" || tokens[index]?.kind === "template";
  const isIndexed = (index: number): boolean =>
    text(index + 1) === "[" || (text(index + 1) === "?." && text(index + 2) === "[");
  const isKey = (index: number): boolean => text(index + 1) === ":" && text(before(index)) !== "?";
  const isOfGlobal = (index: number): boolean => isDot(index - 1) && globalObjects.has(text(index - 2));
  const isMemberName = (index: number): boolean => isDot(firstOf(index) - 1);

  /** Where the name begins, with the global objects in front of it. */
  function firstOf(index: number): number {
    let first = index;
    while (isOfGlobal(first)) first -= 2;
    return first;
  }

  function before(index: number): number {
    return firstOf(index) - 1;
  }

  function at(index: number): string | undefined {
    const token = tokens[index];
    if (token?.kind === "sign") return token.text === "[" ? atBracket(index) : undefined;
    if (token?.kind !== "word" || !noted.has(token.text)) return undefined;
    if (tellingNames.has(token.text)) return token.text;
    if (isMemberName(index)) return atMember(index, token.text);
    return isKey(index) ? undefined : atName(index, token.text);
  }

  function atMember(index: number, name: string): string | undefined {
    if (name === "constructor") {
      const isShown = isDot(index + 1) && text(index + 2) === "name";
      return isShown || comparisons.has(text(index + 1)) ? undefined : "the constructor of a value";
    }
    return isCall(index) ? memberCalls.get(name) : undefined;
  }

  function atName(index: number, name: string): string | undefined {
    switch (name) {
      case "import":
        return isDot(index + 1) && text(index + 2) === "meta" ? atImportMeta(index + 3) : undefined;
      // Passed on under another name, it works as well.
      case "createRequire":
      case "eval":
        return `${name}()`;
      case "Worker":
        if (text(before(index)) === "new") return "new Worker()";
        return isHandedOn(index) ? "Worker" : undefined;
      case "Function":
        if (isCall(index)) return "Function()";
        return isHandedOn(index) && text(before(index) - 2) !== "type" ? "Function" : undefined;
      case "globalThis":
      case "global":
        return (isDot(index + 1) && !isIndexed(index)) || text(before(index)) === "typeof" ? undefined : name;
      case "process":
        return atProcess(index);
      case "Bun":
        return atBun(index);
      case "setTimeout":
      case "setInterval":
        return text(index + 1) === "(" && isString(index + 2) ? `${name}() with text` : undefined;
      default:
        return undefined;
    }
  }

  /** `next` is what follows `import.meta`. */
  function atImportMeta(next: number): string | undefined {
    if (!isDot(next) || isIndexed(next - 1)) return "import.meta";
    const member = text(next + 1);
    if (harmlessMeta.has(member) || (member === "require" && isCall(next + 1))) return undefined;
    return `import.meta.${member}`;
  }

  function atProcess(index: number): string | undefined {
    if (isIndexed(index)) return "a member of process";
    if (isDot(index + 1)) return processLoads.has(text(index + 2)) ? `process.${text(index + 2)}` : undefined;
    // `const { env } = process` names what it takes.
    const isTaken = text(before(index)) === "=" && text(before(index) - 1) === "}";
    return (isHandedOn(index) || text(before(index)) === ":") && !isTaken ? "process" : undefined;
  }

  function atBun(index: number): string | undefined {
    if (isIndexed(index)) return "Bun";
    if (isDot(index + 1)) return bunLoads.has(text(index + 2)) ? `Bun.${text(index + 2)}` : undefined;
    return isHandedOn(index) || text(before(index)) === ":" ? "Bun" : undefined;
  }

  /** As a value, and not to look at one of its members. */
  function isHandedOn(index: number): boolean {
    return beforeValue.has(text(before(index))) && !isDot(index + 1);
  }

  /** `x["require"]`, and `x["re" + "quire"](…)`. */
  function atBracket(open: number): string | undefined {
    if (!isMember(open)) return undefined;
    if (isString(open + 1) && text(open + 2) === "]") {
      const name = textOf(tokens[open + 1] as SourceToken);
      return name !== undefined && tellingKeys.has(name) ? `["${name}"]` : undefined;
    }
    const { depth } = tokens[open] as SourceToken;
    let close = open + 1;
    let strings = 0;
    let joins = 0;
    while (close < tokens.length && close < open + maxInBrackets && (tokens[close]?.depth ?? 0) > depth) {
      if (isString(close)) strings++;
      if (/^(?:\+|join|concat|fromCharCode|fromCodePoint|atob|replace|reverse|slice)$/.test(text(close))) joins++;
      close++;
    }
    const isJoined = strings > 1 || (strings > 0 && joins > 0) || (joins > 0 && text(open + 1) === "String");
    const isSuspect = isCall(close) || text(open - 1) === ")" || text(open - 1) === "}";
    return isJoined && isSuspect ? "a member with a computed name" : undefined;
  }

  /** Whether the bracket opens a member of what stands before it. */
  function isMember(open: number): boolean {
    const before = tokens[open - 1];
    if (before === undefined) return false;
    if (before.kind === "word") return !beforeList.has(before.text);
    return before.kind === "string" || before.kind === "template" || [")", "]", "}", "?.", "!"].includes(before.text);
  }

  return { at, isBun: (index) => text(index) === "Bun" && !isMemberName(index) && !isKey(index) };
}
