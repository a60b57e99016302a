// What the catalog reports about a file: it was refused, read with a correction, or hides another. Owns the list of
// codes and the shape; printing belongs to the front ends. Every message is one line that is safe to print.

import { safeLine } from "../lib/safe-text.ts";

export type Severity = "error" | "warning" | "info";

/** Stable, for `--json` and for tests. The message explains; the code only sorts. */
export type DiagnosticCode =
  // the file or folder itself
  | "unreadable"
  | "not-a-file"
  | "too-large"
  | "too-many"
  | "not-utf8"
  | "dangling-link"
  | "link-loop"
  | "outside-folder"
  | "not-read"
  // what is in it
  | "empty"
  | "frontmatter-script"
  | "frontmatter-unclosed"
  | "frontmatter-invalid"
  | "frontmatter-repaired"
  | "config-invalid"
  | "too-deep"
  | "aliases"
  | "forbidden-key"
  | "field-type"
  | "computed-field"
  | "syntax"
  | "import"
  // names
  | "name-invalid"
  | "duplicate-name"
  | "alias-conflict"
  | "core-command"
  | "hides"
  | "hides-builtin"
  // hidden by another kind of entity, which only takes the name after the slash
  | "takes-name"
  | "takes-builtin"
  | "disabled";

export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  readonly message: string;
  /** Absolute path of the file or folder, not escaped: print it through `safeLine`. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** For a file that is not used: the names a user may ask for it by. */
  readonly names?: readonly string[];
}

/** Where a diagnostic points, when that is known. */
export interface DiagnosticPlace {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

export function diagnostic(
  severity: Severity,
  code: DiagnosticCode,
  message: string,
  place: DiagnosticPlace = {},
): Diagnostic {
  return {
    severity,
    code,
    message: safeLine(message, 600),
    ...(place.file === undefined ? {} : { file: place.file }),
    ...(place.line === undefined ? {} : { line: place.line }),
  };
}

/**
 * Thrown inside the catalog when one file can't be used, and caught by the loader that reads its siblings.
 * It never leaves the catalog: there it becomes a diagnostic.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: DiagnosticCode;
  readonly line: number | undefined;

  constructor(code: DiagnosticCode, message: string, line?: number) {
    super(message);
    this.code = code;
    this.line = line;
  }

  toDiagnostic(file: string | undefined): Diagnostic {
    return diagnostic("error", this.code, this.message, { file, line: this.line });
  }
}

/** Runs `read`; reports a Refusal as a diagnostic about `file` and returns undefined. Other errors pass through. */
export function orRefuse<T>(file: string, report: (found: Diagnostic) => void, read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    report(thrown.toDiagnostic(file));
    return undefined;
  }
}
