// A first look at the words of a run, before its workflow is known: which workflow, in which folder, with which agent,
// trusted or not. What the workflow itself declares is parsed later, by its own declaration.

import { Command, CommanderError } from "commander";
import type { OptionValues } from "../../lib/declared-options.ts";
import { addDeclaredOptions, readDeclaredOptions, usageError } from "../../lib/parse-options.ts";
import { asksForHelp } from "./workflow-words.ts";
import { runOptions } from "./run-options.ts";

export interface PeekedWords {
  readonly values: OptionValues;
  readonly isHelp: boolean;
}

/** Throws USAGE when an option of every run is used wrongly. */
export function peekWords(words: readonly string[], subject: string): PeekedWords {
  const command = new Command(subject).helpOption(false).allowExcessArguments().allowUnknownOption().exitOverride();
  command.configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  const added = addDeclaredOptions(command, runOptions);
  try {
    command.parse(words, { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) throw usageError(thrown, subject);
    throw thrown;
  }
  return { values: readDeclaredOptions(command, added), isHelp: asksForHelp(words) };
}
