// The words of a command line, parsed: runs the one command that they name. Owns what is said when they name none.

import { CommanderError } from "commander";
import type { RunParts } from "../app/run-app.ts";
import { usageError } from "../lib/declared-options.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import { version } from "../lib/version.ts";
import { buildProgram } from "./build-program.ts";
import type { CliCommand, CliContext } from "./command.ts";
import { loadCommands } from "./command-tree.ts";
import { helpFooter, programDescription } from "./help-texts.ts";
import type { Io } from "./io.ts";

export interface CommandLineOptions {
  readonly io: Io;
  readonly parts: () => Promise<RunParts>;
}

/** Gives the exit code. Throws USAGE for words that make no sense, and what the command throws. */
export async function runCommandLine(words: readonly string[], { io, parts }: CommandLineOptions): Promise<number> {
  const tree = await loadCommands(words[0]);
  let exitCode = 0;
  const program = buildProgram(tree, {
    name: "atomic",
    version,
    description: programDescription,
    footer: helpFooter,
    print: io.print,
    columns: io.columns,
    invoke: async (command, call) => {
      const [made, { createApp }] = await Promise.all([parts(), import("../app/create-app.ts")]);
      const context: CliContext = { io, parts: made, app: createApp(made) };
      exitCode = (await command.run?.(call, context)) ?? 0;
    },
  });
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    // Help was printed.
    if (thrown.exitCode !== 0) throw wrongWords(thrown, words, tree);
  }
  return exitCode;
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
