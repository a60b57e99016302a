// Offers, at a terminal, to look at a workflow file that is not trusted yet and to trust it, so that a run can start at
// once. Shown and asked on standard error: standard output is for the run's result.

import type { TrustQuestion } from "../../app/trust.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { Io } from "../io.ts";
import { isYes, trustQuestionText } from "../print/trust-question.ts";

type AskTrust = (question: TrustQuestion) => Promise<boolean>;

/** Undefined if no user can be asked, or questions are off. */
export function askTrustAtTerminal(
  io: Pick<Io, "warn" | "ask" | "isInteractive">,
  values: OptionValues,
): AskTrust | undefined {
  if (!io.isInteractive || values["json"] === true || values["no-questions"] === true) return undefined;
  return async (question) => {
    const { name, path, reason, files } = question;
    const why = reason === "new" ? "was never trusted" : "has changed since it was trusted";
    const count = files.length === 1 ? "" : ` (${files.length} files)`;
    io.warn(`The ${safeLine(name)} ${why}, so it does not run yet: ${safeLine(path, 400)}${count}`);
    if (!isYes(io.ask("Show it now, and decide? [y/N]"))) return false;
    io.warn(trustQuestionText(question));
    return isYes(io.ask(`Trust the ${safeLine(name)}, and run it? [y/N]`));
  };
}
