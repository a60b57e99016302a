// The imports and exports of a TypeScript or JavaScript file, read without running it. Owns what counts as an import
// that can be followed (a literal path), as one that can't (computed), and which exported values are literals.

import type { Plain } from "../plain-data.ts";
import { createLoadFinder } from "./hidden-loads.ts";
import { createLiteralReader, skipType, type LiteralReader } from "./literals.ts";
import { createLineFinder, tokenize, type SourceToken } from "./tokens.ts";

export interface ModuleImport {
  readonly specifier: string;
  /** The literal with its quotes, so that the loader can replace it. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** `with { type: "text" }` */
  readonly attribute?: string;
}

export interface ModuleExport {
  /** Absent when the value is not a literal. */
  readonly literal?: Plain;
  readonly line: number;
}

export interface ModuleScan {
  readonly imports: readonly ModuleImport[];
  /** Imports whose path is only known when the file runs, and other ways to load code, as `line: what`. */
  readonly computed: readonly { readonly line: number; readonly what: string }[];
  /** The runtime's own global, which needs no import. */
  readonly usesBun: boolean;
  readonly exports: ReadonlyMap<string, ModuleExport>;
  /** `export * from "…"`: what it exports is not known here. */
  readonly hasStarExport: boolean;
  readonly problem: { readonly message: string; readonly line: number } | undefined;
}

export function scanModule(source: string): ModuleScan {
  const { tokens, problem, doubt } = tokenize(source);
  const literals = createLiteralReader(source, tokens, topLevelConstants(tokens));
  const lineAt = createLineFinder(source);
  const scanner = createScanner(tokens, literals, (token) => lineAt(token?.start ?? source.length));
  for (let i = 0; i < tokens.length; i++) scanner.visit(i);
  const result = scanner.result();
  const slash = { what: "an ambiguous slash, after which code may be hidden from this check" };
  return {
    ...result,
    computed: doubt === undefined ? result.computed : [...result.computed, { line: lineAt(doubt), ...slash }],
    problem: problem === undefined ? undefined : { message: problem.message, line: lineAt(problem.offset) },
  };
}

/** Where the value of each top-level `const name = …` starts. */
function topLevelConstants(tokens: readonly SourceToken[]): ReadonlyMap<string, number> {
  const constants = new Map<string, number>();
  for (let i = 0; i < tokens.length; i++) {
    const name = tokens[i]?.text === "const" && tokens[i]?.depth === 0 ? tokens[i + 1] : undefined;
    if (name?.kind !== "word") continue;
    const start = initialiserOf(tokens, i + 1);
    if (start !== undefined) constants.set(name.text, start);
  }
  return constants;
}

/** The first token after `name =` or `name: Type =`. */
function initialiserOf(tokens: readonly SourceToken[], name: number): number | undefined {
  const equals = tokens[name + 1]?.text === ":" ? skipType(tokens, name + 2) : name + 1;
  return tokens[equals]?.text === "=" ? equals + 1 : undefined;
}

const declares = /^(?:async|function|class|abstract|enum|namespace)$/;

function createScanner(
  tokens: readonly SourceToken[],
  literals: LiteralReader,
  lineOfToken: (token: SourceToken | undefined) => number,
) {
  const imports: ModuleImport[] = [];
  const computed: { line: number; what: string }[] = [];
  const exports = new Map<string, ModuleExport>();
  let hasStarExport = false;
  let usesBun = false;
  const loads = createLoadFinder(tokens, literals.textOf);

  const text = (index: number): string => tokens[index]?.text ?? "";
  const lineOf = (index: number): number => lineOfToken(tokens[index]);

  function addImport(index: number): void {
    const token = tokens[index];
    const specifier = token === undefined ? undefined : literals.textOf(token);
    if (token === undefined || specifier === undefined) return;
    const attribute = attributeAfter(index);
    const place = { start: token.start, end: token.end, line: lineOf(index) };
    imports.push({ specifier, ...place, ...(attribute === undefined ? {} : { attribute }) });
  }

  /** `with { type: "text" }`, or `, { with: { type: "text" } }` in a call. */
  function attributeAfter(index: number): string | undefined {
    for (let i = index + 1; i < index + 10 && tokens[i]?.text !== ";"; i++) {
      const value = tokens[i + 2];
      if (text(i) === "type" && text(i + 1) === ":" && value?.kind === "string") return literals.textOf(value);
    }
    return undefined;
  }

  function visit(index: number): void {
    const token = tokens[index];
    // `requ\u0069re` is a name too, and no one writes it without a reason.
    if (token?.text === "\\") computed.push({ line: lineOf(index), what: "a name written with escapes" });
    const what = loads.at(index);
    if (what !== undefined) computed.push({ line: lineOf(index), what });
    if (token?.kind !== "word") return;
    if (loads.isBun(index)) usesBun = true;
    if (text(index - 1) === "." || text(index - 1) === "?.") return;
    if (text(index + 1) === ":" && text(index - 1) !== "?") return;
    if (token.text === "import") visitImport(index);
    else if (token.text === "require") visitCall(index, "require()");
    else if (token.text === "export" && token.depth === 0) visitExport(index);
  }

  /** `import("…")` or `require("…")`: one literal argument is an import, anything else is computed. */
  function visitCall(index: number, what: string): void {
    const open = text(index + 1) === "?." ? index + 2 : index + 1;
    if (text(open) !== "(") {
      // The function is passed on, and may be called with anything. `import.meta` and a declaration are harmless.
      if (what === "require()" && text(index - 1) !== "function")
        computed.push({ line: lineOf(index), what: "require" });
      return;
    }
    const argument = tokens[open + 1];
    const isLiteral = argument !== undefined && literals.textOf(argument) !== undefined && isStringLike(argument);
    if (isLiteral && [")", ","].includes(text(open + 2))) addImport(open + 1);
    else computed.push({ line: lineOf(index), what });
  }

  function visitImport(index: number): void {
    const next = tokens[index + 1];
    if (next?.text === "(") return visitCall(index, "import()");
    if (next === undefined || next.text === "." || tokens[index]?.depth !== 0) return;
    if (next.kind === "string") return addImport(index + 1);
    if (isTypeOnly(index + 1)) return;
    addSource(index + 1);
  }

  /** The string after the next `from`, before the statement ends. (`import x = require()` is a call, found later.) */
  function addSource(index: number): void {
    for (let i = index; i < tokens.length && ![";", "="].includes(text(i)); i++) {
      if (text(i) === "from" && tokens[i + 1]?.kind === "string") return addImport(i + 1);
      if (tokens[i]?.depth === 0 && (text(i) === "import" || text(i) === "export")) return;
    }
  }

  /** `type` as in `import type { A } from`, and not an import that happens to be called `type`. */
  function isTypeOnly(index: number): boolean {
    if (text(index) !== "type") return false;
    const next = tokens[index + 1];
    if (next?.text === "{" || next?.text === "*") return true;
    return next?.kind === "word" && (next.text !== "from" || text(index + 2) === "from");
  }

  function visitExport(index: number): void {
    const next = text(index + 1);
    if (next === "*") {
      hasStarExport = hasStarExport || text(index + 2) !== "as";
      if (text(index + 2) === "as") addExport(text(index + 3), index);
      return addSource(index + 1);
    }
    if (next === "{") return visitExportList(index + 1);
    if (next === "default") return addExport("default", index);
    if (next === "const" || next === "let" || next === "var") return visitDeclarations(index + 2, next === "const");
    const name = declares.test(next) ? nameAfter(index + 1) : undefined;
    if (name !== undefined) addExport(name, index);
  }

  function nameAfter(index: number): string | undefined {
    for (let i = index; i < index + 5; i++) if (text(i) !== "*" && !declares.test(text(i))) return text(i);
    return undefined;
  }

  /** `export { a, b as c }`, with or without `from`. */
  function visitExportList(open: number): void {
    const depth = tokens[open]?.depth ?? 0;
    let close = open + 1;
    while (close < tokens.length && (tokens[close]?.depth ?? 0) > depth) close++;
    const isReexport = text(close + 1) === "from";
    for (let i = open + 1; i < close; i++) {
      const isLast = text(i + 1) === "," || i + 1 === close;
      if (!isLast || tokens[i]?.kind !== "word") continue;
      const local = text(i - 1) === "as" ? i - 2 : i;
      if (text(local - 1) !== "type") addExport(text(i), i, isReexport ? undefined : literals.read(local));
    }
    if (isReexport) addSource(close);
  }

  /** `a = 1, b: T = 2` */
  function visitDeclarations(first: number, isConst: boolean): void {
    for (let index: number | undefined = first; index !== undefined;) {
      const token = tokens[index];
      if (token?.kind !== "word") {
        for (const name of patternNames(index)) addExport(name, index);
        return;
      }
      const start = initialiserOf(tokens, index);
      addExport(token.text, index, isConst && start !== undefined ? literals.read(start) : undefined);
      index = nextDeclarator(start ?? index + 1);
    }
  }

  function nextDeclarator(from: number): number | undefined {
    for (let i = from; i < tokens.length; i++) {
      const token = tokens[i];
      if (token === undefined || token.depth > 0) continue;
      const startsStatement = token.isAfterNewline && /^(?:export|import|const|function|class)$/.test(token.text);
      if (token.text === ";" || startsStatement) return undefined;
      if (token.text === "," && tokens[i + 1]?.kind === "word") return i + 1;
    }
    return undefined;
  }

  /** The names in `{ a, b: c }` or `[a, b]`; a superset is harmless. */
  function patternNames(index: number): string[] {
    const names: string[] = [];
    const depth = tokens[index]?.depth ?? 0;
    for (let i = index + 1; (tokens[i]?.depth ?? 0) > depth; i++) if (tokens[i]?.kind === "word") names.push(text(i));
    return names;
  }

  function addExport(name: string, index: number, literal?: Plain): void {
    exports.set(name, { line: lineOf(index), ...(literal === undefined ? {} : { literal }) });
  }

  return { visit, result: () => ({ imports, computed, exports, hasStarExport, usesBun }) };
}

function isStringLike(token: SourceToken): boolean {
  return token.kind === "string" || token.kind === "template";
}
