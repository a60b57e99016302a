// A turn as it is shown live and as its record shows it later: the same, whatever order things happen in.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { AgentEvent } from "../../agents/events.ts";
import { noUsage } from "../../agents/usage.ts";
import { chatRecord } from "../../chat/chat-event.ts";
import { type ChatView, emptyChat } from "../../chat/chat-view.ts";
import { foldLive } from "../../chat/fold-live.ts";
import { foldRecord } from "../../chat/fold-record.ts";
import type { StoredEvent } from "../../journal/port.ts";
import { createTurnRecorder } from "./turn-recorder.ts";

const ids = { sessionId: "s", turnId: "t" };
const first = emptyChat({ id: "c", cwd: "/", agent: "a", model: undefined, isProjectTrusted: false });

/** Starts and finishes in any order that the port allows. */
const script = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("say" as const), text: fc.string({ minLength: 1, maxLength: 8 }), message: fc.nat(2) }),
    fc.record({ do: fc.constant("think" as const), text: fc.string({ minLength: 1, maxLength: 8 }) }),
    fc.record({ do: fc.constant("tool" as const), id: fc.nat(3) }),
    fc.record({ do: fc.constant("finish" as const), id: fc.nat(3) }),
    fc.record({ do: fc.constant("ask" as const) }),
  ),
  { maxLength: 25 },
);

function eventsOf(steps: Parameters<typeof eventOf>[0][]): AgentEvent[] {
  const open = new Set<number>();
  const events = steps.flatMap((step, at) => eventOf(step, at, open));
  const left = [...open].map((id): AgentEvent => finished(id, "interrupted"));
  const end = { ...ids, text: "", modelAsked: undefined, modelServed: undefined, usage: noUsage, durationMs: 1 };
  return [...events, ...left, { ...end, type: "turn.completed" }];
}

function finished(id: number, outcome: "ok" | "interrupted"): AgentEvent {
  return {
    ...ids,
    type: "tool.finished",
    toolCallId: `tool-${id}`,
    name: "Bash",
    outcome,
    output: "out",
    outputChars: 3,
  };
}

function eventOf(
  step:
    | { do: "say"; text: string; message: number }
    | { do: "think"; text: string }
    | { do: "tool"; id: number }
    | { do: "finish"; id: number }
    | { do: "ask" },
  at: number,
  open: Set<number>,
): AgentEvent[] {
  switch (step.do) {
    case "say":
      return [{ ...ids, type: "text.delta", messageId: `m${step.message}`, text: step.text }];
    case "think":
      return [{ ...ids, type: "reasoning.delta", messageId: "r", text: step.text }];
    case "tool":
      if (open.has(step.id)) return [];
      open.add(step.id);
      return [
        {
          ...ids,
          type: "tool.started",
          toolCallId: `tool-${step.id}`,
          name: "Bash",
          kind: "shell",
          input: { command: "ls" },
        },
      ];
    case "finish":
      return open.delete(step.id) ? [finished(step.id, "ok")] : [];
    case "ask": {
      const item = { text: "Which?", options: [], isMultiple: false, isFreeText: true };
      return [
        { ...ids, type: "question.asked", question: { id: `q${at}`, items: [item] } },
        { ...ids, type: "question.answered", questionId: `q${at}`, answers: [["yes"]] },
      ];
    }
  }
}

function play(events: readonly AgentEvent[], isLive: boolean): { view: ChatView; texts: string[] } {
  const recorder = createTurnRecorder({ turn: "t", now: () => 0, redact: undefined, createStreamRedactor: undefined });
  const texts: string[] = [];
  let seq = 0;
  const store = (event: Parameters<typeof chatRecord>[0]): StoredEvent => ({ ...chatRecord(event), seq: ++seq, at: 0 });
  let view = foldRecord(first, store({ type: "chat.prompted", turn: "t", line: "go" }));
  for (const event of events) {
    const { shown, records } = recorder.take(event);
    for (const record of records) {
      view = foldRecord(view, store(record));
      if (record.type === "chat.said") texts.push(record.text);
    }
    if (isLive && shown !== undefined) view = foldLive(view, shown, 0);
  }
  return { view: foldRecord(view, store({ type: "chat.turn-ended", turn: "t", outcome: "completed", ms: 1 })), texts };
}

test("a turn looks the same live and from its record, and no text is lost or repeated", () => {
  fc.assert(
    fc.property(script, (steps) => {
      const events = eventsOf(steps);
      const live = play(events, true);

      expect(live.view).toEqual(play(events, false).view);
      expect(live.view.live).toEqual([]);
      const said = events.flatMap((event) => (event.type === "text.delta" ? [event.text] : [])).join("");
      const letters = (text: string): string[] => Array.from(text.replaceAll(/\s/g, "")).sort();
      expect(letters(live.texts.join(""))).toEqual(letters(said));
    }),
  );
});

test("a program that says a message whole after its pieces adds nothing, and one that never streams says it once", () => {
  const whole: AgentEvent = { ...ids, type: "message.finished", messageId: "m", text: "Hello you" };
  const piece: AgentEvent = { ...ids, type: "text.delta", messageId: "m", text: "Hello " };

  expect(play([piece, whole], true).texts).toEqual(["Hello you"]);
  expect(play([whole], true).texts).toEqual(["Hello you"]);
});
