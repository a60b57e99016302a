// The command tree as a commander program. Nothing else in the project talks to commander about commands.

import { Command } from "commander";
import { addDeclaredOptions, readDeclaredOptions } from "../lib/parse-options.ts";
import { helpCommandRow, helpWidth, programOptions } from "./help-texts.ts";
import type { ArgumentSpec, Call, CliCommand } from "./command.ts";
import { unknownCommand } from "./unknown-command.ts";

export interface ProgramOptions {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly footer: string;
  /** Where help goes. */
  readonly print: (text: string) => void;
  readonly columns: number | undefined;
  readonly invoke: (command: CliCommand, call: Call<never>) => Promise<void>;
}

/** Throws CommanderError for wrong usage, and also, with exit code 0, after help or the version was printed. */
export function buildProgram(tree: readonly CliCommand[], options: ProgramOptions): Command {
  const program = newCommand(options.name, options);
  program.description(options.description).version(options.version, ...programOptions.version);
  program.option(...programOptions.licenses);
  program.helpCommand("help [command]", helpCommandRow[1]);
  program.addHelpText("after", `\n${options.footer}`);
  for (const command of tree) program.addCommand(build(command, options));
  return program;
}

function newCommand(name: string, options: ProgramOptions): Command {
  const width = helpWidth(options.columns);
  const trimmed = (text: string): void => options.print(text.replace(/\n$/, ""));
  return new Command(name)
    .exitOverride()
    .enablePositionalOptions()
    .helpOption(...programOptions.help)
    .configureHelp({
      helpWidth: width,
      optionTerm: (option) => option.flags.replace(/<([^>]*)>/, "$1"),
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: trimmed,
      writeErr: () => undefined,
      outputError: () => undefined,
      // Querying the streams themselves would load them.
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

function build(spec: CliCommand, options: ProgramOptions): Command {
  const command = newCommand(spec.name, options).summary(spec.summary);
  command.description(spec.details === undefined ? `${spec.summary}.` : `${spec.summary}.\n\n${spec.details}`);
  for (const argument of spec.arguments ?? []) command.argument(argumentTerm(argument), argument.description);
  if (spec.examples !== undefined) command.addHelpText("after", `\n${examplesText(spec.examples)}`);
  const added = addDeclaredOptions(command, spec.options ?? {});
  for (const sub of spec.subcommands ?? []) {
    const isDefault = sub.name === spec.defaultSubcommand;
    const built = build(sub, options);
    // A word that is not a subcommand is passed to the default one, as an excess argument.
    if (isDefault) refuseExcess(built, sub, spec);
    command.addCommand(built, { isDefault });
  }
  if (spec.passesThrough === true) command.passThroughOptions().allowUnknownOption();
  if (spec.hasOwnHelp === true) command.helpOption(false);
  if (spec.run !== undefined) {
    command.action(async () => {
      const call = { options: readDeclaredOptions(command, added) as never, arguments: command.args };
      await options.invoke(spec, call);
    });
  } else command.helpCommand(false);
  return command;
}

function refuseExcess(command: Command, spec: CliCommand, group: CliCommand): void {
  const isList = spec.arguments?.some((argument) => argument.isList === true) ?? false;
  if (isList) return;
  command.allowExcessArguments();
  command.hook("preAction", () => {
    const word = command.args[spec.arguments?.length ?? 0];
    if (word === undefined) return;
    throw unknownCommand([group.name], word, group.subcommands ?? []);
  });
}

/** As commander reads it: `<NAME>`, `[NAME]`, `[NAME...]`. */
function argumentTerm({ name, isOptional = false, isList = false }: ArgumentSpec): string {
  const term = isList ? `${name}...` : name;
  return isOptional ? `[${term}]` : `<${term}>`;
}

/** As a user reads it. */
export function usageLine(path: string, spec: CliCommand): string {
  const parts = (spec.arguments ?? []).map((argument) => {
    const name = argument.isList === true ? `${argument.name}…` : argument.name;
    return argument.isOptional === true ? `[${name}]` : name;
  });
  const hasOptions = Object.keys(spec.options ?? {}).length > 0;
  return [path, ...parts, ...(hasOptions ? ["[options]"] : [])].join(" ");
}

function examplesText(examples: NonNullable<CliCommand["examples"]>): string {
  return ["Examples:", ...examples.map(({ line, text }) => `  ${line}\n      ${text}`)].join("\n");
}
