// Tokens and money as they are counted: what caches served counts as read, and invalid amounts are not counted.

export interface Amounts {
  readonly input: number;
  readonly output: number;
  /** Undefined: not stated. */
  readonly costUsd: number | undefined;
}

export const noAmounts: Amounts = { input: 0, output: 0, costUsd: undefined };

export interface StatedUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly costUsd?: number | null | undefined;
}

export function amountsOf(usage: StatedUsage): Amounts {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd } = usage;
  const isStated = typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    input: count(inputTokens) + count(cacheReadTokens) + count(cacheWriteTokens),
    output: count(outputTokens),
    costUsd: isStated ? costUsd : undefined,
  };
}

/** The cost of a sum is known when at least one side states one. */
export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const costUsd = a.costUsd === undefined && b.costUsd === undefined ? undefined : (a.costUsd ?? 0) + (b.costUsd ?? 0);
  return { input: a.input + b.input, output: a.output + b.output, costUsd };
}

function count(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}
