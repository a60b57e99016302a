// Whether a run has used up what it may use, by its ledger. With a cap set, turns that don't report their usage can't
// be counted: then the run stops rather than guesses. What such a turn did is kept.

import type { Json } from "../../lib/json.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { LimitName, RunLimits } from "./run-limits.ts";

export interface ReachedLimit {
  readonly limit: LimitName;
  readonly message: string;
  readonly details: Readonly<Record<string, Json>>;
}

/** What is used up for certain: it holds in the middle of a turn as well. */
export function reachedCap(ledger: Pick<RunLedger, "costUsd" | "tokens">, limits: RunLimits): ReachedLimit | undefined {
  const { maxCostUsd, maxTokens } = limits;
  // Read only where there is a limit: each is a sum over all turns under way.
  if (maxCostUsd !== undefined) {
    const { costUsd } = ledger;
    const message = `$${costUsd.toFixed(2)} of $${maxCostUsd} is spent`;
    if (costUsd >= maxCostUsd) return { limit: "max-cost", message, details: { costUsd } };
  }
  if (maxTokens !== undefined) {
    const { tokens } = ledger;
    const message = `${tokens} of ${maxTokens} tokens are used`;
    if (tokens >= maxTokens) return { limit: "max-tokens", message, details: { tokens } };
  }
  return undefined;
}

/** The same before a turn, when earlier turns did not say what they used. */
export function uncountable(ledger: Pick<RunLedger, "uncounted">, limits: RunLimits): ReachedLimit | undefined {
  const { cost, tokens } = ledger.uncounted;
  if (limits.maxCostUsd !== undefined && cost !== undefined)
    return unknownUsage(
      `The agent "${cost}" does not say what its turns cost, so --max-cost can't be kept. Use --max-tokens instead, or resume with --max-cost none`,
    );
  if (limits.maxTokens !== undefined && tokens !== undefined)
    return unknownUsage(
      `The agent "${tokens}" does not say how many tokens its turns use, so --max-tokens can't be kept. Resume with --max-tokens none`,
    );
  return undefined;
}

function unknownUsage(message: string): ReachedLimit {
  return { limit: "usage-unknown", message, details: {} };
}
