// From the words of a command line to an exit code. Owns the order of things: parse, run one command, report what went
// wrong. Commands throw; only this file turns that into text.

import { CommanderError } from "commander";
import type { RunParts } from "../app/run-app.ts";
import { usageError } from "../lib/declared-options.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import { version } from "../lib/version.ts";
import { buildProgram } from "./build-program.ts";
import type { CliCommand, CliContext } from "./command.ts";
import { loadCommands } from "./command-tree.ts";
import { helpFooter, programDescription, shortHelp } from "./help-texts.ts";
import { createIo } from "./io.ts";
import { failureOf } from "./report-error.ts";

export interface CliOptions {
  /** Made when a command runs: help needs none of it. */
  readonly parts: () => Promise<RunParts>;
}

export async function runCli(words: readonly string[], options: CliOptions): Promise<number> {
  const io = createIo();
  let tree: readonly CliCommand[] = [];
  let exitCode = 0;
  try {
    tree = await loadCommands(words[0]);
    if (words.length === 0) {
      io.print(shortHelp(tree));
      return 0;
    }
    const program = buildProgram(tree, {
      name: "atomic",
      version,
      description: programDescription,
      footer: helpFooter,
      print: io.print,
      columns: io.columns,
      invoke: async (command, call) => {
        const context: CliContext = { io, parts: await options.parts() };
        exitCode = (await command.run?.(call, context)) ?? 0;
      },
    });
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const { text, exitCode: code } = failureOf(
      thrown instanceof CommanderError ? wrongWords(thrown, words, tree) : thrown,
    );
    io.warn(text);
    return code;
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
