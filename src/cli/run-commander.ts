// A command line that commander reads: help, options in every spelling, and the errors for invalid words.

import { CommanderError } from "commander";
import { usageError } from "../lib/parse-options.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import { version } from "../lib/version.ts";
import { buildProgram, type ProgramOptions } from "./build-program.ts";
import type { CliCommand } from "./command.ts";
import { helpFooter, programDescription } from "./help-texts.ts";

/** Throws USAGE for words that make no sense, and what the command throws. */
export async function runCommander(
  tree: readonly CliCommand[],
  words: readonly string[],
  options: Pick<ProgramOptions, "print" | "columns" | "invoke">,
): Promise<void> {
  const program = buildProgram(tree, {
    name: "atomic",
    version,
    description: programDescription,
    footer: helpFooter,
    ...options,
  });
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    // Help was printed.
    if (thrown.exitCode !== 0) throw wrongWords(thrown, words, tree);
  }
}

function wrongWords(thrown: CommanderError, words: readonly string[], tree: readonly CliCommand[]): AtomicError {
  const error = usageError(thrown, helpFor(words, tree));
  const [word = ""] = words;
  if (thrown.code !== "commander.unknownCommand" || !/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(word)) return error;
  return new AtomicError("USAGE", `${error.message} A workflow is started with \`atomic run ${safeLine(word, 60)}\`.`);
}

/** The command whose help explains what was typed: `atomic workflows show`. */
function helpFor(words: readonly string[], tree: readonly CliCommand[]): string {
  const path = ["atomic"];
  let level: readonly CliCommand[] = tree;
  for (const word of words) {
    const found = level.find((command) => command.name === word);
    if (found === undefined) break;
    path.push(word);
    level = found.subcommands ?? [];
  }
  return path.join(" ");
}
