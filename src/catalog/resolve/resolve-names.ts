// Decides which candidate gets a name: the lowest rank wins, and names beat aliases. Every loser is reported. Knows
// nothing about what is named.

import { diagnostic, type Diagnostic } from "../diagnostics.ts";
import { nameKey } from "../entity-name.ts";

export interface Candidate<T> {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Lower wins. Equal ranks: the same folder, where two files of one name are a mistake. */
  readonly rank: number;
  readonly isBuiltin: boolean;
  /** For messages: `skill`, `workflow`. */
  readonly kind: string;
  readonly file?: string | undefined;
  readonly value: T;
}

export interface Hidden<T> {
  readonly hidden: Candidate<T>;
  readonly by: Candidate<T>;
}

export interface Resolution<T> {
  /** By name, in alphabetical order. */
  readonly winners: readonly Winner<T>[];
  readonly hidden: readonly Hidden<T>[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface Winner<T> {
  readonly candidate: Candidate<T>;
  /** The aliases that no other entry took. */
  readonly aliases: readonly string[];
}

export function resolveNames<T>(candidates: readonly Candidate<T>[]): Resolution<T> {
  const diagnostics: Diagnostic[] = [];
  const hidden: Hidden<T>[] = [];
  const byName = new Map<string, Candidate<T>>();
  // Sorting is stable: files of one folder stay in the order of their names.
  for (const candidate of candidates.toSorted((a, b) => a.rank - b.rank)) {
    const by = byName.get(nameKey(candidate.name));
    if (by === undefined) byName.set(nameKey(candidate.name), candidate);
    else {
      hidden.push({ hidden: candidate, by });
      diagnostics.push(hiding(candidate, by));
    }
  }
  const winners = giveAliases(byName, diagnostics);
  return { winners: winners.toSorted((a, b) => (a.candidate.name < b.candidate.name ? -1 : 1)), hidden, diagnostics };
}

function giveAliases<T>(byName: ReadonlyMap<string, Candidate<T>>, diagnostics: Diagnostic[]): Winner<T>[] {
  const taken = new Map<string, Candidate<T>>();
  // The map is in order of rank, so stronger entries get their aliases first.
  return Array.from(byName.values(), (candidate) => {
    const aliases = candidate.aliases.filter((alias) => {
      const owner = byName.get(nameKey(alias)) ?? taken.get(nameKey(alias));
      if (owner === undefined) taken.set(nameKey(alias), candidate);
      else if (owner !== candidate) diagnostics.push(aliasConflict(alias, candidate, owner));
      return owner === undefined;
    });
    return { candidate, aliases };
  });
}

function hiding<T>(hidden: Candidate<T>, by: Candidate<T>): Diagnostic {
  if (hidden.rank === by.rank && hidden.kind === by.kind) {
    const message = `The ${hidden.kind} "${hidden.name}" is already defined by ${by.file ?? "another entry"}. Rename one of the two.`;
    return diagnostic("error", "duplicate-name", message, { file: hidden.file });
  }
  const winner = `The ${by.kind} "${by.name}" (${by.file ?? "built in"})`;
  // Different kinds meet only where they share the name after the slash.
  const isSame = hidden.kind === by.kind;
  const takes = isSame ? "hides" : `takes "/${by.name}" from`;
  if (hidden.isBuiltin) {
    const message = `${winner} ${takes} the built-in ${hidden.kind}.`;
    return diagnostic("warning", isSame ? "hides-builtin" : "takes-builtin", message, { file: by.file });
  }
  const message = `${winner} ${takes} the ${hidden.kind} in ${hidden.file ?? "the program"}.`;
  return diagnostic("info", isSame ? "hides" : "takes-name", message, { file: hidden.file });
}

function aliasConflict<T>(alias: string, candidate: Candidate<T>, owner: Candidate<T>): Diagnostic {
  const message = `The alias "${alias}" of the ${candidate.kind} "${candidate.name}" is taken by the ${owner.kind} "${owner.name}".`;
  // The user's entity replaces a built-in: nothing for them to fix.
  const severity = candidate.isBuiltin ? "info" : "warning";
  return diagnostic(severity, "alias-conflict", message, { file: candidate.file });
}
