// Calls a user back who looks elsewhere: when the agent or a run asks, ends or fails while the terminal has no focus.
// A terminal that does not report its focus is taken to have it.

import type { ChatView } from "../../chat/chat-view.ts";
import { safeLine } from "../../lib/safe-text.ts";

export interface Attention {
  focus(isFocused: boolean): void;
  /** After each change of the conversation. */
  see(view: ChatView): void;
}

export interface AttentionOptions {
  readonly first: ChatView;
  readonly call: (text: string) => void;
}

export function createAttention({ first, call }: AttentionOptions): Attention {
  let isFocused = true;
  let before = first;
  return {
    focus(has) {
      isFocused = has;
    },
    see(view) {
      const news = newsOf(before, view);
      before = view;
      if (news !== undefined && !isFocused) call(news);
    },
  };
}

/** What a user would want to know; undefined when it can wait. */
export function newsOf(before: ChatView, now: ChatView): string | undefined {
  const asked = now.questions.find(({ id }) => !before.questions.some((known) => known.id === id));
  if (asked !== undefined) return `Atomic asks: ${safeLine(asked.items[0]?.text ?? "", 150)}`;
  if (before.turn === undefined || now.turn !== undefined || before.turn.phase === "compacting") return undefined;
  const last = now.blocks.at(-1);
  if (last?.kind !== "ended") return "Atomic: the turn is finished.";
  // The user stopped it and knows.
  if (last.outcome === "interrupted" && before.turn.phase === "stopping") return undefined;
  return `Atomic: ${last.outcome === "failed" ? "the turn failed: " : ""}${safeLine(last.text, 150)}`;
}
