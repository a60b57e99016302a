// Command lines as they are mostly typed: a command, its arguments, its options spelled out. They are read here, because
// commander takes longer to load than such a command takes to run. Everything else, every mistake and every question for
// help is commander's: what this file does not know for certain, it does not read. A test compares the two.

import type { DeclaredOption, OptionValue } from "../lib/declared-options.ts";
import type { Call, CliCommand } from "./command.ts";

export interface PlainCall {
  readonly command: CliCommand;
  readonly call: Call<never>;
}

export function parsePlain(tree: readonly CliCommand[], words: readonly string[]): PlainCall | undefined {
  const [name, ...more] = words;
  const named = tree.find((each) => each.name === name);
  if (named === undefined) return undefined;
  const chosen = named.subcommands === undefined ? { command: named, rest: more } : chooseSubcommand(named, more);
  return chosen === undefined ? undefined : parseCall(chosen.command, chosen.rest);
}

interface Chosen {
  readonly command: CliCommand;
  readonly rest: readonly string[];
}

function chooseSubcommand(group: CliCommand, words: readonly string[]): Chosen | undefined {
  if (group.run !== undefined || Object.keys(group.options ?? {}).length > 0) return undefined;
  const find = (name: string | undefined): CliCommand | undefined =>
    group.subcommands?.find((each) => each.name === name);
  const [first, ...rest] = words;
  const named = find(first);
  if (named !== undefined) return { command: named, rest };
  const fallback = find(group.defaultSubcommand);
  return fallback !== undefined && words.every((word) => word.startsWith("--"))
    ? { command: fallback, rest: words }
    : undefined;
}

function parseCall(command: CliCommand, words: readonly string[]): PlainCall | undefined {
  if (command.run === undefined || command.subcommands !== undefined || command.passesThrough === true)
    return undefined;
  const declared = Object.entries(command.options ?? {});
  const values = new Map<string, OptionValue>();
  const given: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith("-") && word !== "") given.push(word);
    else {
      const found = declared.find(([name]) => word === `--${name}` && !/[A-Z]/.test(name));
      if (found === undefined || values.has(found[0])) return undefined;
      const [name, option] = found;
      const value = option.type === "boolean" ? readFlag(name, option) : readValue(option, words[++i]);
      if (value === undefined) return undefined;
      values.set(name, value);
    }
  }
  if (!isFitting(command.arguments ?? [], given.length)) return undefined;
  const options = Object.fromEntries(
    declared.map(([name, option]) => [name, values.get(name) ?? option.default ?? notGiven(option)]),
  );
  return { command, call: { options: options as never, arguments: given } };
}

/** Only an option whose name is typed as it is declared, and which is off unless it is typed. */
function readFlag(name: string, { default: isOn }: DeclaredOption): true | undefined {
  return isOn === true || name.startsWith("no") ? undefined : true;
}

function readValue(option: DeclaredOption, word: string | undefined): string | number | undefined {
  if (word === undefined || word.startsWith("-") || option.repeat === true || option.orNone === true) return undefined;
  if (option.choices !== undefined && !option.choices.includes(word)) return undefined;
  if (option.type === "string") return word;
  return /^\d+$/.test(word) ? Number(word) : undefined;
}

function notGiven({ type }: DeclaredOption): false | undefined {
  return type === "boolean" ? false : undefined;
}

function isFitting(declared: NonNullable<CliCommand["arguments"]>, count: number): boolean {
  const isList = declared.at(-1)?.isList === true;
  const required = declared.filter(({ isOptional }) => isOptional !== true).length;
  return count >= required && (isList || count <= declared.length);
}
