// The errors of reached limits. Apart from limits.ts, which only a run needs: node factories use these too.

import { AtomicError } from "../../../lib/errors.ts";
import type { Json } from "../../../lib/json.ts";
import { asPause } from "../model/pause-with.ts";

/** How often a loop runs when neither it nor the run sets a limit. */
export const defaultMaxIterations = 100;

/**
 * Thrown by a walk or a body, it pauses the run; a caller that asked for a state instead of a run gets it as an error.
 */
export function limitReached(limit: string, message: string, details: Readonly<Record<string, Json>>): AtomicError {
  const error = new AtomicError("STEP_LIMIT", message, { details });
  return asPause(error, { kind: "pause", reason: "budget", details: { limit, message, ...details }, error });
}

/** For a loop without its own limit. */
export function loopLimitReached(loop: string, maxIterations: number): AtomicError {
  return limitReached(
    "max-iterations",
    `"${loop}" ran ${maxIterations} times and is not done. It sets no \`maxIterations\`, so the run's limit stopped it. Raise \`maxIterations\` of the run (0 = no limit) and resume, or set it on the loop.`,
    { node: loop, maxIterations },
  );
}
