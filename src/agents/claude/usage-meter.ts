// Tokens and cost of one turn. The program reports totals of the whole session, sub-agents included, that keep growing
// after a resume; a turn's usage is the difference to the totals before it.

import { noUsage, tokensWithout, totalTokens, type Usage } from "../usage.ts";
import type { ResultMessage } from "./read-messages.ts";
import type { ClaudeModelUsage } from "./model-usage.ts";

type Totals = Readonly<Record<string, ClaudeModelUsage>>;

export interface UsageMeter {
  /** What was used since the last result, by sums that the program was asked for in the middle of a turn. */
  sinceResult(totals: Totals): Usage;
  /** What was used since the last result. */
  read(result: Pick<ResultMessage, "modelUsage" | "usage">): Usage;
  /** How much the model takes, once it has answered. */
  contextWindow(model: string): number | undefined;
  /** A new process of the program counts on from these sums; undefined: from sums that are not known. */
  restart(totals: Totals | undefined): void;
}

export function createUsageMeter(): UsageMeter {
  let before: Totals | undefined = {};

  return {
    // The totals before the turn are unknown: the result reports what the turn used.
    sinceResult: (totals) => (before === undefined ? noUsage : difference(totals, before)),
    read({ modelUsage, usage }) {
      // A turn that broke down early may state nothing at all. The sums are still there, and come with the next one.
      if (Object.keys(modelUsage).length === 0) return noUsage;
      const known = before;
      before = modelUsage;
      if (known !== undefined) return difference(modelUsage, known);
      // The first result of a session whose sums are not known: the turn's own count lacks its sub-agents and a price.
      return {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadTokens: usage.cache_read_input_tokens,
        cacheWriteTokens: usage.cache_creation_input_tokens,
      };
    },
    contextWindow: (model) => before?.[model]?.contextWindow,
    restart(totals) {
      before = totals;
    },
  };
}

/** What is left of a sum when some of it was reported before: answers that broke off were reported too. */
export function remainder(sum: Usage, reported: Usage): Usage {
  const tokens = tokensWithout(sum, reported);
  if (sum.costUsd === undefined) return tokens;
  const costUsd = Math.max(0, Math.round((sum.costUsd - (reported.costUsd ?? 0)) * 1e9) / 1e9);
  return costUsd === 0 && reported.costUsd !== undefined ? tokens : { ...tokens, costUsd };
}

function difference(after: Totals, before: Totals): Usage {
  const sum = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let costUsd = 0;
  let isPriced = true;
  for (const [model, now] of Object.entries(after)) {
    // Sums that shrank were reset (`/clear`).
    const then = before[model]?.outputTokens ?? 0;
    const past = then > now.outputTokens ? undefined : before[model];
    sum.inputTokens += now.inputTokens - (past?.inputTokens ?? 0);
    sum.outputTokens += now.outputTokens - (past?.outputTokens ?? 0);
    sum.cacheReadTokens += now.cacheReadInputTokens - (past?.cacheReadInputTokens ?? 0);
    sum.cacheWriteTokens += now.cacheCreationInputTokens - (past?.cacheCreationInputTokens ?? 0);
    const cost = now.costUSD - (past?.costUSD ?? 0);
    costUsd += cost;
    // For a model it has no price of, the program guesses. A guess is not a cost.
    if (cost !== 0 && now.costBasis === "unknown") isPriced = false;
  }
  // Nothing was counted: then nothing is known of the cost either.
  if (totalTokens(sum) === 0 && costUsd === 0) return noUsage;
  return isPriced ? { ...sum, costUsd: Math.round(costUsd * 1e9) / 1e9 } : sum;
}
