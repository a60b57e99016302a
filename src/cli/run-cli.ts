// From the words of a command line to an exit code. Answers what needs no command at once, without loading any; leaves
// the rest to run-command-line.ts. Commands throw; only this file turns that into text.

import type { App } from "../app/create-app.ts";
import type { RunParts } from "../app/run-app.ts";
import type { CliContext } from "./command.ts";
import { programHelp, shortHelp } from "./help-texts.ts";
import { createIo, type Io } from "./io.ts";
import { describeFailure } from "./report-error.ts";

export interface CliOptions {
  /** Made when a command runs: help needs none of it. */
  readonly parts: () => Promise<RunParts>;
  readonly screen: CliContext["screen"];
}

export async function runCli(words: readonly string[], { parts, screen }: CliOptions): Promise<number> {
  const io = createIo();
  try {
    const [word, ...more] = words;
    if (word === undefined && !canChat(io)) io.print(shortHelp());
    else if (more.length === 0 && (word === "--help" || word === "-h")) io.print(programHelp(io.columns));
    else if (word === "__complete") await printCandidates(more, io, parts);
    else {
      const { runCommandLine } = await import("./run-command-line.ts");
      return await runCommandLine(isChat(word) ? ["chat", ...words] : words, { io, parts, screen });
    }
    return 0;
  } catch (thrown) {
    const { text, exitCode } = describeFailure(thrown);
    io.warn(text);
    return exitCode;
  }
}

/** Asked by the scripts of `atomic completion`: a word and what it means, line by line. */
async function printCandidates(words: readonly string[], io: Io, parts: CliOptions["parts"]): Promise<void> {
  const { complete } = await import("./completion/complete.ts");
  const app = async (): Promise<App> => (await import("../app/create-app.ts")).createApp(await parts());
  const { safeLine } = await import("../lib/safe-text.ts");
  const candidates = await complete(words, app);
  if (candidates.length === 0) return;
  io.print(
    candidates.map(({ word, description }) => `${safeLine(word, 200)}\t${safeLine(description, 100)}`).join("\n"),
  );
}

/** `atomic` alone, at a terminal, opens the chat. */
function canChat({ hasTerminal, columns }: Pick<Io, "hasTerminal" | "columns">): boolean {
  return hasTerminal && columns !== undefined;
}

const chatOptions: ReadonlySet<string> = new Set("-a --agent -m --model -c --continue --theme --plain".split(" "));

/** Used instead of a command: nothing, or an option of the chat. */
function isChat(word: string | undefined): boolean {
  return word === undefined || chatOptions.has(word.replace(/=.*$/, ""));
}
