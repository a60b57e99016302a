// The words of a command line: runs the one command that they name.

import type { RunParts } from "../app/run-app.ts";
import type { Call, CliCommand, CliContext } from "./command.ts";
import { loadCommands } from "./command-tree.ts";
import type { Io } from "./io.ts";
import { parsePlain } from "./parse-plain.ts";

export interface CommandLineOptions {
  readonly io: Io;
  readonly parts: () => Promise<RunParts>;
  readonly screen: CliContext["screen"];
}

/** Gives the exit code. Throws USAGE for words that make no sense, and what the command throws. */
export async function runCommandLine(
  words: readonly string[],
  { io, parts, screen }: CommandLineOptions,
): Promise<number> {
  if (words[0] === "help" && words.length > 1) {
    const { helpWords } = await import("./help-words.ts");
    const path = words.slice(1);
    return runCommandLine(helpWords(await loadCommands(path[0]), path), { io, parts, screen });
  }
  const tree = await loadCommands(words[0]);
  let exitCode = 0;
  const invoke = async (command: CliCommand, call: Call<never>): Promise<void> => {
    const [made, { createApp }] = await Promise.all([parts(), import("../app/create-app.ts")]);
    exitCode = (await command.run?.(call, { io, environment: made.environment, app: createApp(made), screen })) ?? 0;
  };
  const plain = parsePlain(tree, words);
  if (plain !== undefined) await invoke(plain.command, plain.call);
  else {
    const { runCommander } = await import("./run-commander.ts");
    await runCommander(tree, words, { print: io.print, columns: io.columns, invoke });
  }
  return exitCode;
}
