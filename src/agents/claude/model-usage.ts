// What the program says that a model used: in a result, and when it is asked for a session's totals.

export interface ClaudeModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  contextWindow: number;
  costUSD: number;
  costBasis?: "list" | "managed" | "unknown";
}
