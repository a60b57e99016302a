// `--verify` of a run: commands that must succeed after the last node before the run counts as completed, whatever the
// workflow is. A workflow that checks its work itself (`verifiesItself`) gets them as `options.verify` instead.

import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import type { WorkflowDefinition, WorkflowOptionValue } from "./definition.ts";
import type { RunEnding } from "./graph/run/execute-options.ts";
import { type Check, type CheckPlace, hasPassed, howItEnded, runCheck, verified } from "./checks/check.ts";

export interface RunChecksPlace {
  readonly cwd: string;
  readonly sessionDir: string;
  readonly clock: Clock;
  readonly sandbox?: CheckPlace["sandbox"];
  readonly onRunning?: CheckPlace["onRunning"];
}

/** The commands that the run itself has to check; none for a workflow that does so. Throws USAGE. */
export function ownChecks(
  { verifiesItself }: Pick<WorkflowDefinition, "verifiesItself">,
  options: Readonly<Record<string, WorkflowOptionValue | undefined>>,
): readonly string[] {
  const commands = parseChecks(options["verify"]);
  return verifiesItself === true ? [] : commands;
}

/** What `--verify` was given. Throws USAGE for what no shell could run. */
export function parseChecks(given: WorkflowOptionValue | undefined): readonly string[] {
  const commands = Array.isArray(given) ? given.map(String) : [];
  for (const command of commands) {
    if (command.trim() === "")
      throw new AtomicError("USAGE", '--verify needs a command, and got an empty one. Example: --verify "npm test".');
    if (command.includes("\0")) throw new AtomicError("USAGE", "A --verify command can't hold a NUL byte.");
  }
  return commands;
}

/**
 * One after the other; stops at the first that fails. Each one that ran is on record, and one that passed is not
 * repeated.
 */
export async function runOwnChecks(
  commands: readonly string[],
  place: RunChecksPlace,
  { step, record, signal }: RunEnding,
): Promise<void> {
  for (const [i, command] of commands.entries()) {
    await step(`verify ${i + 1}`, async (): Promise<Check> => {
      const check = await runCheck(command, { ...place, signal });
      record(verified(check, null));
      if (!hasPassed(check)) throw notVerified(check);
      return check;
    });
  }
}

function notVerified(check: Check): AtomicError {
  const { command, exitCode, output } = check;
  const printed = output.trim() === "" ? "It printed nothing." : `It printed:\n${output.trimEnd()}`;
  return new AtomicError(
    "VERIFY_FAILED",
    `The workflow finished, but \`${safeLine(command, 300)}\` ${howItEnded(check)}. ${printed}`,
    { details: { command, exitCode } },
  );
}
