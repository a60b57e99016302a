// `atomic help COMMAND…` in the words of `atomic COMMAND… --help`: subcommands and workflows have their own help.

import type { CliCommand } from "./command.ts";
import { unknownCommand } from "./unknown-command.ts";

/** `path`: what follows `help`. Throws USAGE for a command that is not there. */
export function helpWords(tree: readonly CliCommand[], path: readonly string[]): readonly string[] {
  if (path[0] === "help") return ["--help"];
  let level = tree;
  for (const [i, word] of path.entries()) {
    // An option: what it means is said there.
    if (word.startsWith("-")) break;
    const found = level.find(({ name }) => name === word);
    if (found === undefined) throw unknownCommand(path.slice(0, i), word, level);
    if (found.hasOwnHelp === true) break;
    level = found.subcommands ?? [];
  }
  return [...path, "--help"];
}
