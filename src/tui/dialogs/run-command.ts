// Carries out what a user decided about a run, and says what came of it: a sentence, another question, another run to
// look at. What the program refuses becomes the sentence.

import { AtomicError } from "../../lib/errors.ts";
import type { RunsPort } from "../runs/runs-port.ts";
import { confirmConcurrent, type Dialog, type RunCommand } from "./dialog.ts";

export interface CommandOutcome {
  readonly note?: string | undefined;
  readonly dialog?: Dialog | undefined;
  /** The run to look at from now on. */
  readonly watch?: string | undefined;
}

type CommandPort = Pick<RunsPort, "pause" | "cancel" | "answer" | "resume" | "fork">;

export async function performRunCommand(port: CommandPort, command: RunCommand): Promise<CommandOutcome> {
  try {
    switch (command.type) {
      case "pause":
        return { note: await port.pause(command.run) };
      case "cancel":
        return { note: await port.cancel(command.run) };
      case "answer":
        return { note: await port.answer(command.run, command.question, command.answer) };
      case "resume":
        return await resumed(port, command.run, command.isConcurrent);
      case "fork": {
        const made = await port.fork(command.run, command.seq);
        const outcome = await resumed(port, made, false);
        // A fork that can't be resumed is gone.
        return outcome.isRefused === true ? { note: outcome.note } : { ...outcome, watch: made };
      }
    }
  } catch (thrown) {
    if (!AtomicError.is(thrown)) throw thrown;
    return { note: thrown.message };
  }
}

async function resumed(
  port: CommandPort,
  run: string,
  isConcurrent: boolean,
): Promise<CommandOutcome & { readonly isRefused?: boolean }> {
  try {
    return { note: await port.resume(run, { isConcurrent }) };
  } catch (thrown) {
    if (!AtomicError.is(thrown)) throw thrown;
    return thrown.code === "FOLDER_BUSY"
      ? { dialog: confirmConcurrent(run, thrown.message) }
      : { note: thrown.message, isRefused: true };
  }
}
