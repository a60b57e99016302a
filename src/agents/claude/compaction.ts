// Compacting a session: the program's own command, sent as a prompt, and what it says about it.

import { createDeferred } from "../../lib/deferred.ts";
import { turnError, turnFailure } from "../failures.ts";
import type { CompactResult } from "../port.ts";
import { resultFailure } from "./claude-failures.ts";
import type { ClaudeMessage } from "./read-messages.ts";
import type { UsageMeter } from "./usage-meter.ts";

export interface Compaction {
  read(message: ClaudeMessage | undefined): void;
  /** What is left of the conversation; reported before the end. */
  summarized(summary: string): void;
  fail(error: unknown): void;
  readonly result: Promise<CompactResult>;
}

export function compactPrompt(focus: string | undefined): string {
  return focus === undefined ? "/compact" : `/compact ${focus.replace(/\s+/g, " ").trim()}`;
}

export function createCompaction(meter: UsageMeter, now: () => number): Compaction {
  const done = createDeferred<CompactResult>();
  let result: CompactResult | undefined;
  let problem: string | undefined;
  let summary: string | undefined;
  done.promise.catch(() => {});

  return {
    result: done.promise,
    fail: done.reject,
    summarized: (text) => void (summary = text),
    read(message) {
      if (message?.type === "system" && message.subtype === "compact_boundary") {
        const { pre_tokens, post_tokens } = message.compact_metadata;
        result = { beforeTokens: pre_tokens, afterTokens: post_tokens };
      } else if (message?.type === "system" && message.subtype === "status") {
        problem = message.compact_error ?? problem;
      } else if (message?.type === "system" && message.subtype === "local_command_output") {
        problem ??= message.content;
      } else if (message?.type === "result") {
        // What it used belongs to no turn.
        meter.read(message);
        if (result !== undefined) return done.resolve({ ...result, summary });
        const failure = message.is_error
          ? resultFailure(message, { now: now() })
          : turnFailure(
              "refused",
              `Claude did not compact the session: ${problem ?? message.result ?? "it did not say why"}`,
            );
        done.reject(turnError(failure));
      }
    },
  };
}
