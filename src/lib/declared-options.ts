// Options as data: one declaration serves the parser, the help text and the hint after a command's name, whether the
// program or a workflow declares it. This file owns the declarations and their texts; parse-options.ts parses what was
// typed, with commander, which a listing and a completion do without.

import { kebabCase } from "./kebab-case.ts";
import { safeLine } from "./safe-text.ts";
import { wrapWords } from "./wrap-words.ts";

export interface DeclaredOption {
  readonly type: "string" | "number" | "boolean";
  readonly description: string;
  /** A boolean with the default `auto` can be switched on and off; its value is that word when it is not given. */
  readonly default?: string | number | boolean | readonly (string | number)[] | undefined;
  /** May be given several times; the value is then a list. */
  readonly repeat?: boolean | undefined;
  /** One letter: `a` for `-a`. */
  readonly short?: string | undefined;
  /** The placeholder for the value in help: `FILE`. */
  readonly value?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  /** A number that may also be `none`: the value is that word then. */
  readonly orNone?: boolean | undefined;
}

/** By name, `dry-run` or `dryRun`: both are typed as `--dry-run`. */
export type DeclaredOptions = Readonly<Record<string, DeclaredOption>>;

export type OptionValue = string | number | boolean | readonly string[] | readonly number[];
export type OptionValues = Readonly<Record<string, OptionValue | undefined>>;

/** How an option is typed: `-a, --agent NAME`. */
function optionUsage(name: string, option: DeclaredOption): string {
  // An option that is on by default is typed to switch it off.
  const long = canBeSwitchedOff(option) ? `--[no-]${kebabCase(name)}` : `--${kebabCase(name)}`;
  const flags = option.short === undefined ? long : `-${option.short}, ${long}`;
  return option.type === "boolean" ? flags : `${flags} ${valueName(option)}`;
}

/** The text beside it in help. */
export function optionDescription(option: DeclaredOption): string {
  const notes: string[] = [];
  if (option.choices !== undefined) notes.push(`one of ${option.choices.join(", ")}`);
  if (option.repeat === true) notes.push("repeatable");
  const isSet = option.default !== undefined && option.default !== false;
  if (isSet && String(option.default) !== "") notes.push(`default ${String(option.default)}`);
  const text = safeLine(option.description, 300);
  return notes.length === 0 ? text : `${text} (${notes.join("; ")})`;
}

/** How each is typed, and what it means. */
export function optionRows(options: DeclaredOptions): readonly (readonly [string, string])[] {
  return Object.entries(options).map(
    ([name, option]) => [optionUsage(name, option), optionDescription(option)] as const,
  );
}

/** One line for each, for help; at a terminal of so many `columns`, wrapped between words. */
export function optionLines(options: DeclaredOptions, columns = Number.POSITIVE_INFINITY): string {
  const rows = optionRows(options);
  const width = Math.max(...rows.map(([usage]) => usage.length), 0) + 2;
  const indent = " ".repeat(width + 2);
  return rows
    .map(([usage, text]) => `  ${usage.padEnd(width)}${wrapWords(text, columns - indent.length).join(`\n${indent}`)}`)
    .join("\n");
}

/** What may follow a command's name, in one line: `<prompt> [--depth N] [--dry-run]`. */
export function argumentHint(prompt: "required" | "optional" | "none", options: DeclaredOptions): string {
  const parts = prompt === "none" ? [] : [prompt === "required" ? "<prompt>" : "[prompt]"];
  for (const [name, option] of Object.entries(options)) {
    const more = option.repeat === true ? "…" : "";
    const usage =
      option.default === true ? `--no-${kebabCase(name)}` : optionUsage(name, { ...option, short: undefined });
    parts.push(`[${usage}]${more}`);
  }
  return parts.join(" ");
}

/** The default of a boolean that is neither on nor off by default. */
export const autoDefault = "auto";

export function canBeSwitchedOff({ type, default: value }: DeclaredOption): boolean {
  return type === "boolean" && (value === true || value === autoDefault);
}

export function valueName(option: DeclaredOption): string {
  return option.value ?? (option.type === "number" ? "N" : "TEXT");
}
