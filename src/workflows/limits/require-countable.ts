// A cap that can't be enforced is refused before the run is created: an agent that never reports its cost would take
// its first turn, pause, and still not know.

import type { AgentClient } from "../../agents/port.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { RunLimits } from "./run-limits.ts";

/** Throws USAGE. What an agent shows only when it works is seen when it has worked (reached-cap.ts). */
export function requireCountable(limits: RunLimits, client: Pick<AgentClient, "label" | "capabilities">): void {
  const { usage, cost } = client.capabilities;
  if (limits.maxCostUsd !== undefined && cost !== true)
    throw new AtomicError(
      "USAGE",
      `--max-cost can't be enforced with ${client.label}: ${cost}. Use --max-tokens N instead, with --max-cost none where the settings or an earlier start of the run set a cost cap.`,
    );
  if (limits.maxTokens !== undefined && usage !== true)
    throw new AtomicError(
      "USAGE",
      `--max-tokens can't be enforced with ${client.label}: ${usage}. Use --max-minutes N or --max-iterations N instead.`,
    );
}
