import { expect, test } from "bun:test";
import { type ChatView, emptyChat } from "../../chat/chat-view.ts";
import { createAttention, newsOf } from "./attention.ts";

const idle = emptyChat({ id: "c", cwd: "/p", agent: "claude", model: undefined, isProjectTrusted: true });
const working: ChatView = { ...idle, turn: { id: "t", startedAt: 0, phase: "working" } };
const question = { id: "q", items: [{ text: "Which?", options: [], isMultiple: false, isFreeText: true }] };
const ended = (outcome: "failed" | "interrupted", text: string): ChatView => ({
  ...idle,
  blocks: [{ kind: "ended", id: "e", outcome, text }],
});

test.each([
  ["a question", working, { ...working, questions: [question] }, "Atomic asks: Which?"],
  ["an end", working, idle, "Atomic: the turn is finished."],
  ["a failure", working, ended("failed", "no network"), "Atomic: the turn failed: no network"],
  ["a question that was seen", { ...working, questions: [question] }, { ...working, questions: [question] }, undefined],
  ["more text", working, { ...working, live: [{ kind: "said", id: "s", text: "a" }] }, undefined],
  [
    "a turn that the person stopped",
    { ...working, turn: { id: "t", startedAt: 0, phase: "stopping" } },
    ended("interrupted", "Stopped."),
    undefined,
  ],
] as const)("news: %s", (_, before, after, text) => {
  expect(newsOf(before, after)).toBe(text);
});

test("no notification is sent while the terminal has the focus", () => {
  const calls: string[] = [];
  const attention = createAttention({ first: working, call: (text) => calls.push(text) });
  attention.see(idle);
  attention.see(working);
  attention.focus(false);
  attention.see(idle);
  attention.focus(true);
  attention.see({ ...working, questions: [question] });

  expect(calls).toEqual(["Atomic: the turn is finished."]);
});
