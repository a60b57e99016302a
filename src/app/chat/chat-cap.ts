// The limits of a chat: what it may cost, and how many tokens it may use. Kept inside a turn too, at each call that the
// agent reports.

import { totalTokens, type Usage } from "../../agents/usage.ts";

export interface ChatLimits {
  readonly maxCostUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
}

interface Used {
  readonly costUsd: number;
  readonly tokens: number;
}

/** What the chat has used by now; and why a turn was stopped, when a limit did it. */
export interface Cap {
  readonly text: string | undefined;
  /** True when a limit is reached by it. */
  note(usage: Usage): boolean;
}

export function createCap(limits: ChatLimits, used: Used): Cap {
  let { costUsd, tokens } = used;
  let text: string | undefined;
  return {
    get text() {
      return text;
    },
    note(usage) {
      costUsd += usage.costUsd ?? 0;
      tokens += totalTokens(usage);
      text ??= limitText(limits, { costUsd, tokens });
      return text !== undefined;
    },
  };
}

/** Undefined while no limit is reached. */
export function limitText({ maxCostUsd, maxTokens }: ChatLimits, { costUsd, tokens }: Used): string | undefined {
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd)
    return `The limit of $${maxCostUsd} for this chat is reached. Continue it with a higher --max-cost.`;
  if (maxTokens !== undefined && tokens >= maxTokens)
    return `The limit of ${maxTokens} tokens for this chat is reached. Continue it with a higher --max-tokens.`;
  return undefined;
}
