// Parses a command line by declared options. Commander does the parsing; this file owns the mapping from declarations
// to its options, and from its errors to ours.

import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import {
  autoDefault,
  canBeSwitchedOff,
  type DeclaredOption,
  type DeclaredOptions,
  optionDescription,
  type OptionValue,
  type OptionValues,
  valueName,
} from "./declared-options.ts";
import { AtomicError } from "./errors.ts";
import { kebabCase } from "./kebab-case.ts";
import { safeLine } from "./safe-text.ts";

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

export function addDeclaredOptions(command: Command, options: DeclaredOptions): AddedOptions {
  const added = new Map<string, Option>();
  for (const [name, declared] of Object.entries(options)) {
    const option = commanderOption(name, declared);
    command.addOption(option);
    added.set(name, option);
    // An option that is on by default needs a way to switch it off.
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
    // commander treats `--no-x` as a way to unset `x`; here it is an option that is given or not.
    values[name] = option.negate ? value === false : value;
  }
  return values;
}

function commanderOption(name: string, declared: DeclaredOption): Option {
  const flags = declared.short === undefined ? "" : `-${declared.short}, `;
  const value = declared.type === "boolean" ? "" : ` <${valueName(declared)}>`;
  const option = new Option(
    `${flags}--${kebabCase(name)}${value}`,
    optionDescription({ ...declared, default: undefined }),
  );
  if (declared.type === "boolean") {
    if (!option.negate) option.default(declared.default === autoDefault ? autoDefault : declared.default === true);
    return option;
  }
  if (declared.default !== undefined) option.default(declared.default);
  const given: (string | number)[] = [];
  option.argParser((text: string): string | number | readonly (string | number)[] => {
    const parsed = parseValue(text, declared);
    if (declared.repeat !== true) return parsed;
    // Typed values replace the default instead of being appended to it.
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
