// What is said about a command that is not there: the nearest one, and whose help lists them all.

import { nearest } from "../lib/did-you-mean.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import type { CliCommand } from "./command.ts";

/** `path`: the commands that it stands below. */
export function unknownCommand(
  path: readonly string[],
  word: string,
  commands: readonly Pick<CliCommand, "name">[],
): AtomicError {
  const near = nearest(
    word,
    commands.map(({ name }) => name),
  );
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  const group = ["atomic", ...path].join(" ");
  return new AtomicError(
    "USAGE",
    `Unknown command \`${group} ${safeLine(word, 60)}\`${hint}. See \`${group} --help\`.`,
  );
}
