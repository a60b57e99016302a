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
    footer: helpFooter(options.columns),
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
  const { path, inside } = commandOf(words, tree);
  // A group of commands without one of them: commander would print its help as an error.
  if (thrown.code === "commander.help") {
    const names = inside.map(({ name }) => `\`${path} ${name}\``).join(", ");
    return new AtomicError("USAGE", `\`${path}\` needs one of its commands: ${names}. See \`${path} --help\`.`);
  }
  const error = usageError(thrown, path);
  const [word = ""] = words;
  const isFirst = thrown.code === "commander.unknownCommand" && path === "atomic";
  if (!isFirst || !/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(word)) return error;
  return new AtomicError("USAGE", `${error.message} A workflow is started with \`atomic run ${safeLine(word, 60)}\`.`);
}

interface TypedCommand {
  /** `atomic workflows show` */
  readonly path: string;
  /** Its own commands. */
  readonly inside: readonly CliCommand[];
}

/** The command whose help explains what was typed. */
function commandOf(words: readonly string[], tree: readonly CliCommand[]): TypedCommand {
  const path = ["atomic"];
  let inside: readonly CliCommand[] = tree;
  for (const word of words) {
    const found = inside.find((command) => command.name === word);
    if (found === undefined) break;
    path.push(word);
    inside = found.subcommands ?? [];
  }
  return { path: path.join(" "), inside };
}
