// What a run may use up. Counted over all its workers and over all its resumes. What is absent has no limit.

export interface RunLimits {
  /** 0 = no limit. */
  readonly maxIterations: number;
  readonly maxCostUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxMinutes?: number | undefined;
  /** The total time to wait for rate limits. */
  readonly maxWaitMinutes?: number | undefined;
}

export const defaultRunLimits: RunLimits = { maxIterations: 100, maxWaitMinutes: 24 * 60 };

export type LimitName =
  | "max-iterations"
  | "max-cost"
  | "max-tokens"
  | "max-minutes"
  | "max-wait"
  | "usage-unknown"
  | "account";
