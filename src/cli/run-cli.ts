// From the words of a command line to an exit code. Answers what needs no command at once, without loading any; leaves the
// rest to run-command-line.ts. Commands throw; only this file turns that into text.

import type { RunParts } from "../app/run-app.ts";
import type { CliContext } from "./command.ts";
import { programHelp, shortHelp } from "./help-texts.ts";
import { createIo } from "./io.ts";
import { failureOf } from "./report-error.ts";

export interface CliOptions {
  /** Made when a command runs: help needs none of it. */
  readonly parts: () => Promise<RunParts>;
  readonly screen: CliContext["screen"];
}

export async function runCli(words: readonly string[], { parts, screen }: CliOptions): Promise<number> {
  const io = createIo();
  try {
    const [word, ...more] = words;
    if (word === undefined) io.print(shortHelp());
    else if (more.length === 0 && (word === "--help" || word === "-h")) io.print(programHelp(io.columns));
    else {
      const { runCommandLine } = await import("./run-command-line.ts");
      return await runCommandLine(words, { io, parts, screen });
    }
    return 0;
  } catch (thrown) {
    const { text, exitCode } = failureOf(thrown);
    io.warn(text);
    return exitCode;
  }
}
