// Tokens and money of a turn. A cost that the backend does not know is absent, never 0.

export interface Usage {
  /** Tokens read that no cache served. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** US dollars, when the backend states a price for the model that served. */
  readonly costUsd?: number | undefined;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The sum. Its cost is known when at least one side states one. */
export function addUsage(a: Usage, b: Usage): Usage {
  const tokens = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
  if (a.costUsd === undefined && b.costUsd === undefined) return tokens;
  return { ...tokens, costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0) };
}

/** Without what can't be: a count below zero counts nothing, and such a cost is not known. */
export function plausibleUsage(usage: Usage): Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  const numbers = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd ?? 0];
  if (numbers.every((number) => Number.isFinite(number) && number >= 0)) return usage;
  const counted = (tokens: number): number => (Number.isFinite(tokens) ? Math.max(0, tokens) : 0);
  const isPriced = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    inputTokens: counted(inputTokens),
    outputTokens: counted(outputTokens),
    cacheReadTokens: counted(cacheReadTokens),
    cacheWriteTokens: counted(cacheWriteTokens),
    ...(isPriced && { costUsd }),
  };
}

/** Everything that was read and written, for token limits. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** What is left of `sum`, in tokens, without `part`. Never below zero: programs count one thing in several ways. */
export function tokensWithout(sum: Usage, part: Usage): Usage {
  const difference = (key: "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens"): number =>
    Math.max(0, sum[key] - part[key]);
  return {
    inputTokens: difference("inputTokens"),
    outputTokens: difference("outputTokens"),
    cacheReadTokens: difference("cacheReadTokens"),
    cacheWriteTokens: difference("cacheWriteTokens"),
  };
}
