// What a command of the program is: inert data and one function. Parsing, help and docs/cli.md are made from the data;
// a command's file imports what it needs when it runs, so that `--help` loads nothing.

import type { App } from "../app/create-app.ts";
import type { ProcessEnvironment } from "../app/folders.ts";
import type { DeclaredOption, DeclaredOptions } from "../lib/declared-options.ts";
import type { OpenChatScreen } from "./chat/screen.ts";
import type { Io } from "./io.ts";

export interface ArgumentSpec {
  /** In capitals: `NAME`. */
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** Takes all that follow. Only the last argument may. */
  readonly isList?: boolean;
}

/** What a command may use. */
export interface CliContext {
  readonly io: Io;
  /** Works in the current folder. */
  readonly app: App;
  readonly environment: ProcessEnvironment;
  /** Loads the full-screen chat. */
  readonly screen: () => Promise<OpenChatScreen>;
}

type ValueOf<O extends DeclaredOption> = O["type"] extends "boolean"
  ? boolean
  : O extends { readonly repeat: true }
    ? readonly BaseValue<O>[] | undefined
    : O extends { readonly default: string | number }
      ? BaseValue<O>
      : BaseValue<O> | undefined;

type BaseValue<O extends DeclaredOption> = O["type"] extends "number"
  ? number
  : O extends { readonly choices: readonly (infer C)[] }
    ? C
    : string;

export type ValuesOf<O extends DeclaredOptions> = { readonly [K in keyof O]: ValueOf<O[K]> };

export interface Call<O extends DeclaredOptions = DeclaredOptions> {
  readonly options: ValuesOf<O>;
  /** In the order they were declared; optional ones that were not given are not there. */
  readonly arguments: readonly string[];
}

/** Nothing means 0. */
export type ExitCode = number | undefined | void;

export interface CliCommand {
  readonly name: string;
  /** One line, for lists. */
  readonly summary: string;
  /** More, for its own help. */
  readonly details?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: DeclaredOptions;
  /** Everything after the first argument is passed on unparsed, options included. */
  readonly passesThrough?: boolean;
  /** `--help` is passed on too. */
  readonly hasOwnHelp?: boolean;
  readonly examples?: readonly { readonly line: string; readonly text: string }[];
  readonly subcommands?: readonly CliCommand[];
  /** The subcommand that is meant when none is named. */
  readonly defaultSubcommand?: string;
  // A method, so that commands with different options fit into one list.
  run?(call: Call<never>, context: CliContext): ExitCode | Promise<ExitCode>;
}

/** Gives `run` the types of the options that are declared beside it. */
export function defineCommand<const O extends DeclaredOptions = DeclaredOptions>(
  command: Omit<CliCommand, "options" | "run" | "subcommands"> & {
    readonly options?: O;
    readonly run: (call: Call<O>, context: CliContext) => ExitCode | Promise<ExitCode>;
  },
): CliCommand {
  return command;
}

/** A command that only holds others. */
export function defineGroup(group: Omit<CliCommand, "options" | "run" | "arguments" | "passesThrough">): CliCommand {
  return group;
}

/** For everything that lists. */
export const jsonOption = { type: "boolean", description: "Print JSON" } as const satisfies DeclaredOption;
