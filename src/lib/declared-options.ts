// Options as data: one declaration serves the parser, the help text and the hint after a command's name, whether the
// program or a workflow declares it. Commander does the parsing; this file owns the mapping and the texts.

import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { AtomicError } from "./errors.ts";
import { kebabCase } from "./kebab-case.ts";
import { safeLine } from "./safe-text.ts";
import { wrapWords } from "./wrap-words.ts";

export interface DeclaredOption {
  readonly type: "string" | "number" | "boolean";
  readonly description: string;
  /** A boolean with the default `auto` can be switched on and off; its value is that word when it is not given. */
  readonly default?: string | number | boolean | readonly (string | number)[] | undefined;
  /** May be given several times; the value is a list then. */
  readonly repeat?: boolean | undefined;
  /** One letter: `a` for `-a`. */
  readonly short?: string | undefined;
  /** What stands for the value in help: `FILE`. */
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
  // What is on by itself is typed to switch it off.
  const long = canBeSwitchedOff(option) ? `--[no-]${kebabCase(name)}` : `--${kebabCase(name)}`;
  const flags = option.short === undefined ? long : `-${option.short}, ${long}`;
  return option.type === "boolean" ? flags : `${flags} ${valueName(option)}`;
}

/** What help says beside it. */
function optionText(option: DeclaredOption): string {
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
  return Object.entries(options).map(([name, option]) => [optionUsage(name, option), optionText(option)] as const);
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

export interface ParsedWords {
  /** By the names they were declared under, defaults filled in. */
  readonly values: OptionValues;
  /** Arguments that are not options, in order. After `--` all arguments are positional. */
  readonly rest: readonly string[];
}

/** Throws USAGE when the words don't fit the declarations. `subject` names them in the error. */
export function parseWords(words: readonly string[], options: DeclaredOptions, subject: string): ParsedWords {
  const command = new Command(subject).helpOption(false).allowExcessArguments().exitOverride();
  command.configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  const added = addDeclaredOptions(command, options);
  try {
    command.parse(words, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) throw usageError(thrown, subject);
    throw thrown;
  }
  return { values: readDeclaredOptions(command, added), rest: command.args };
}

/** The AtomicError behind something that commander threw. `help` names the command whose help explains it. */
export function usageError(thrown: CommanderError, help: string): AtomicError {
  const text = thrown.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return new AtomicError("USAGE", `${safeLine(text, 400)}${/[.?]$/.test(text) ? "" : "."} See \`${help} --help\`.`);
}

export type AddedOptions = ReadonlyMap<string, Option>;

const auto = "auto";

function canBeSwitchedOff({ type, default: value }: DeclaredOption): boolean {
  return type === "boolean" && (value === true || value === auto);
}

export function addDeclaredOptions(command: Command, options: DeclaredOptions): AddedOptions {
  const added = new Map<string, Option>();
  for (const [name, declared] of Object.entries(options)) {
    const option = commanderOption(name, declared);
    command.addOption(option);
    added.set(name, option);
    // What is on unless it is switched off needs a way to be switched off.
    if (canBeSwitchedOff(declared) && !option.negate) {
      command.addOption(new Option(`--no-${kebabCase(name)}`, `Not: ${safeLine(declared.description, 200)}`));
    }
  }
  return added;
}

export function readDeclaredOptions(command: Command, added: AddedOptions): OptionValues {
  const values: Record<string, OptionValue | undefined> = {};
  for (const [name, option] of added) {
    const value = command.getOptionValue(option.attributeName()) as OptionValue | undefined;
    // commander takes `--no-x` for a way to unset `x`; here it is an option that is given or not.
    values[name] = option.negate ? value === false : value;
  }
  return values;
}

function commanderOption(name: string, declared: DeclaredOption): Option {
  const flags = declared.short === undefined ? "" : `-${declared.short}, `;
  const value = declared.type === "boolean" ? "" : ` <${valueName(declared)}>`;
  const option = new Option(`${flags}--${kebabCase(name)}${value}`, optionText({ ...declared, default: undefined }));
  if (declared.type === "boolean") {
    if (!option.negate) option.default(declared.default === auto ? auto : declared.default === true);
    return option;
  }
  if (declared.default !== undefined) option.default(declared.default);
  const given: (string | number)[] = [];
  option.argParser((text: string): string | number | readonly (string | number)[] => {
    const parsed = parseValue(text, declared);
    if (declared.repeat !== true) return parsed;
    // What is typed replaces the default instead of joining it.
    given.push(parsed);
    return [...given];
  });
  return option;
}

function parseValue(text: string, declared: DeclaredOption): string | number {
  if (declared.choices !== undefined && !declared.choices.includes(text)) {
    throw new InvalidArgumentError(`Choose one of ${declared.choices.join(", ")}.`);
  }
  if (declared.type === "string" || (declared.orNone === true && text === "none")) return text;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number))
    throw new InvalidArgumentError(declared.orNone === true ? "It must be a number, or none." : "It must be a number.");
  return number;
}

function valueName(option: DeclaredOption): string {
  return option.value ?? (option.type === "number" ? "N" : "TEXT");
}
