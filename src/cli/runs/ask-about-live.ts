// Another run works in the same folder, or on the same task list: says so, and asks at a terminal whether a second one
// may run beside it. Without a terminal, nothing is started.

import type { LiveRun } from "../../app/runs-read.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { titleOf } from "../../workflows/sessions/progress-text.ts";
import type { Io } from "../io.ts";
import { isYes } from "../print/trust-question.ts";

/** True if there is none, or the user wants both. Throws FOLDER_BUSY otherwise. */
export function mayRunBeside(
  live: readonly LiveRun[],
  io: Pick<Io, "warn" | "ask" | "isInteractive">,
  values: OptionValues,
): true {
  if (live.length === 0) return true;
  const what = live.map(liveText).join("\n");
  if (io.isInteractive && values["json"] !== true && values["no-questions"] !== true) {
    io.warn(what);
    if (isYes(io.ask("Run both at the same time? They change the same files. [y/N]"))) return true;
  }
  const [first] = live;
  throw new AtomicError(
    "FOLDER_BUSY",
    `${what} Nothing was started. Wait for it, pause it with \`atomic pause ${first?.id ?? ""}\`, or add --concurrent to run both.`,
    { details: { runs: live.map(({ id }) => id) } },
  );
}

function liveText({ id, workflow, cwd, taskSource }: LiveRun): string {
  const list = taskSource === undefined ? "" : ` on ${safeLine(taskSource, 400)}`;
  return `A ${titleOf(safeLine(workflow, 60))} session works in ${safeLine(cwd, 400)}${list} right now: ${id}.`;
}
