// Makes the folder of a run the current one. Nodes and what they start look there, whatever folder the command was typed
// in: `--cwd` and `resume` from elsewhere mean the same run.

import { systemCode } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";

/** Call it when every path that was typed is absolute. */
export function enterFolder(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === undefined) throw cause;
    const text = `The run works in ${safeLine(folder, 300)}, and that folder can't be entered (${code}). Put it back, or choose another one with --cwd.`;
    throw new AtomicError("USAGE", text, { cause, details: { cwd: folder } });
  }
}
