// What a turn waits for: silence, tools, questions and interrupts, each with its limit.

import { expect, test } from "bun:test";
import { turnFailure } from "./failures.ts";
import { answer } from "./questions.ts";
import { last, read, setUp, started, types } from "../../tests/support/guarded-session-kit.ts";

test("silence fails the turn as timeout and abandons it", async () => {
  const { sink, clock, calls, done } = await started();
  await clock.advance(90);
  sink.touch();
  await clock.advance(90);
  expect(sink.isOver).toBe(false);
  await clock.advance(20);

  expect(last(await done)).toMatchObject({ type: "turn.failed", failure: { kind: "timeout", retryable: true } });
  expect(calls).toContain("abandon");
});

test("silence does not count while a tool is open, and counts again when it ends", async () => {
  const { sink, clock, done } = await started();
  sink.emit({ type: "tool.started", toolCallId: "t", name: "Bash", kind: "shell", input: { command: "make" } });
  await clock.advance(900);
  expect(sink.isOver).toBe(false);
  sink.emit({ type: "tool.finished", toolCallId: "t", name: "Bash", outcome: "ok", output: "", outputChars: 0 });
  await clock.advance(99);
  expect(sink.isOver).toBe(false);
  await clock.advance(1);

  expect(last(await done)).toMatchObject({ type: "turn.failed", failure: { kind: "timeout" } });
});

test("an open tool that is silent for its own limit fails the turn and is named", async () => {
  const { sink, clock, done } = await started();
  sink.emit({ type: "tool.started", toolCallId: "t", name: "Bash", kind: "shell", input: null });
  await clock.advance(600);
  sink.emit({ type: "tool.progressed", toolCallId: "t", output: "still here" });
  await clock.advance(600);
  expect(sink.isOver).toBe(false);
  // Another tool's output is not a sign of life of this one.
  sink.emit({ type: "tool.started", toolCallId: "u", name: "Read", kind: "read", input: null });
  await clock.advance(400);

  const events = await done;
  expect(last(events)).toMatchObject({
    type: "turn.failed",
    failure: { kind: "timeout", message: expect.stringContaining('"Bash"') },
  });
  expect(types(events).filter((type) => type === "tool.finished")).toHaveLength(2);
});

test("what a sub-agent does keeps the tool call that started it alive", async () => {
  const { sink, clock } = await started();
  sink.emit({ type: "tool.started", toolCallId: "t", name: "Agent", kind: "subagent", input: null });
  sink.emit({
    type: "subagent.started",
    agentId: "a",
    parentId: undefined,
    name: "helper",
    task: "x",
    toolCallId: "t",
    isBackground: false,
  });
  for (let i = 0; i < 5; i++) {
    await clock.advance(900);
    sink.emit({ type: "text.delta", agentId: "a", messageId: "m", text: "." });
  }
  expect(sink.isOver).toBe(false);
});

test("an open question suspends the watchdog; its limit declines it and the turn continues", async () => {
  const { sink, clock, done } = await started();
  const reply = sink.ask({
    items: [{ text: "Which?", options: [{ label: "a" }], isMultiple: false, isFreeText: false }],
  });
  await clock.advance(4999);
  expect(sink.isOver).toBe(false);
  await clock.advance(1);
  expect(await reply).toEqual({ type: "declined", reason: "timeout" });
  sink.complete({ text: "guessed" });

  expect(types(await done)).toEqual(["turn.started", "question.asked", "question.declined", "turn.completed"]);
});

test("a handler answers a question; a second answer finds it gone", async () => {
  const { sink, session, done } = await started({ onQuestion: (question) => answer(question, "blue") });
  const reply = await sink.ask({
    items: [{ text: "Which?", options: [{ label: "red" }], isMultiple: false, isFreeText: true }],
  });
  expect(reply).toEqual({ type: "answered", answers: [["blue"]] });
  sink.complete();

  const asked = (await done).find((event) => event.type === "question.asked");
  const late = (): void => session.answer(asked?.type === "question.asked" ? asked.question.id : "", reply);
  expect(late).toThrow(expect.objectContaining({ code: "QUESTION_UNKNOWN" }));
});

test("an answer that does not fit is refused and the question stays open", async () => {
  const { sink, session, seen, clock } = await started();
  const reply = sink.ask({
    items: [{ text: "Which?", options: [{ label: "red" }], isMultiple: false, isFreeText: false }],
  });
  await clock.advance(0);
  const asked = seen.find((event) => event.type === "question.asked");
  const id = asked?.type === "question.asked" ? asked.question.id : "";

  expect(() => session.answer(id, { type: "answered", answers: [["green"]] })).toThrow(
    expect.objectContaining({ code: "QUESTION_ANSWER_INVALID" }),
  );
  session.answer(id, { type: "answered", answers: [["red"]] });

  expect(await reply).toEqual({ type: "answered", answers: [["red"]] });
});

test("a handler that fails declines the question and the event says why", async () => {
  const { sink, done } = await started({
    onQuestion: () => {
      throw new Error("no terminal");
    },
  });
  await sink.ask({ items: [{ text: "Which?", options: [], isMultiple: false, isFreeText: true }] });
  sink.complete();

  expect((await done).find((event) => event.type === "question.declined")).toMatchObject({
    reason: "failed",
    message: "no terminal",
  });
});

test("aborting the signal interrupts the turn, closes its question and leaves the session usable", async () => {
  const stop = new AbortController();
  let asked: AbortSignal | undefined;
  const { sink, sinks, session, calls, clock, done } = await started({
    signal: stop.signal,
    onQuestion: (_, signal) => {
      asked = signal;
      return new Promise(() => {});
    },
  });
  const reply = sink.ask({ items: [{ text: "Which?", options: [], isMultiple: false, isFreeText: true }] });
  stop.abort();
  expect(await reply).toEqual({ type: "declined", reason: "interrupted" });
  expect(asked?.aborted).toBe(true);
  await clock.advance(0);
  sink.fail(turnFailure("crashed", "aborted"));

  expect(last(await done)).toMatchObject({ type: "turn.interrupted", by: "caller", isUnanswered: false });
  expect(calls).toEqual(["start go", "interrupt"]);
  const next = read(session.turn("again"));
  await clock.advance(0);
  sinks[1]?.complete({ text: "yes" });
  expect(last(await next.done)).toMatchObject({ type: "turn.completed", text: "yes" });
});

test("an interrupt that gets no answer ends the turn at its limit and abandons it", async () => {
  const stop = new AbortController();
  const { calls, clock, done } = await started({ signal: stop.signal });
  stop.abort();
  await clock.advance(50);

  expect(last(await done)).toMatchObject({ type: "turn.interrupted", isUnanswered: true });
  expect(calls).toEqual(["start go", "interrupt", "abandon"]);
});

test("a turn that had already completed when the interrupt arrived is completed", async () => {
  const stop = new AbortController();
  const { sink, done } = await started({ signal: stop.signal });
  stop.abort();
  sink.complete({ text: "just in time" });

  expect(last(await done)).toMatchObject({ type: "turn.completed", text: "just in time" });
});

test("leaving the loop early interrupts the turn", async () => {
  const { session, calls, sinks, clock } = setUp({ interrupt: () => sinks[0]?.interrupted() });
  for await (const event of session.turn("go")) {
    if (event.type === "turn.started") break;
  }
  await clock.advance(0);

  expect(calls).toEqual(["start go"]);
  expect(sinks[0]?.isOver).toBe(true);
});
