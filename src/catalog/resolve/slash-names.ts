// Core commands, workflows, commands, skills and agents share one set of names after the slash. The core commands can't
// be hidden. Otherwise the level decides (project, user, built-in), and inside a level the kind.

import { diagnostic, type Diagnostic } from "../diagnostics.ts";
import { nameKey } from "../entity-name.ts";
import { resolveNames, type Candidate } from "./resolve-names.ts";

/** What a user must always be able to type. */
const core: ReadonlySet<string> = new Set(["help", "theme", "clear", "compact", "exit", "model", "mcp", "resume"]);

export type SlashKind = "workflow" | "command" | "skill" | "agent";
const kinds: readonly SlashKind[] = ["workflow", "command", "skill", "agent"];

export interface SlashName {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: SlashKind;
}

export interface SlashCandidate extends SlashName {
  readonly level: "project" | "user" | "builtin";
  readonly file?: string | undefined;
}

export interface SlashNames {
  readonly names: readonly SlashName[];
  readonly diagnostics: readonly Diagnostic[];
}

export function resolveSlashNames(found: readonly SlashCandidate[]): SlashNames {
  const diagnostics: Diagnostic[] = [];
  const candidates: Candidate<SlashCandidate>[] = [];
  for (const each of found) {
    if (core.has(nameKey(each.name))) diagnostics.push(coreName(each));
    else candidates.push(candidateOf(each, diagnostics));
  }
  const resolution = resolveNames(candidates);
  const names = resolution.winners.map(({ candidate, aliases }) => {
    return { name: candidate.name, aliases, kind: candidate.value.kind };
  });
  return { names, diagnostics: [...diagnostics, ...resolution.diagnostics] };
}

function candidateOf(each: SlashCandidate, diagnostics: Diagnostic[]): Candidate<SlashCandidate> {
  const aliases = each.aliases.filter((alias) => {
    if (!core.has(nameKey(alias))) return true;
    const message = `The alias "/${alias}" of the ${each.kind} "${each.name}" is a command of Atomic itself, so it is ignored.`;
    diagnostics.push(diagnostic("warning", "core-command", message, { file: each.file }));
    return false;
  });
  const levels = { project: 0, user: 10, builtin: 20 } as const;
  return {
    name: each.name,
    aliases,
    rank: levels[each.level] + kinds.indexOf(each.kind),
    isBuiltin: each.level === "builtin",
    kind: each.kind,
    file: each.file,
    value: each,
  };
}

function coreName(each: SlashCandidate): Diagnostic {
  const way = each.kind === "workflow" ? `Run it with "atomic run ${each.name}", or rename it.` : "Rename it.";
  const message = `"/${each.name}" is a command of Atomic itself, so the ${each.kind} of that name has no slash command. ${way}`;
  return diagnostic("warning", "core-command", message, { file: each.file });
}
