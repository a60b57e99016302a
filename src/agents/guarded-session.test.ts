import { expect, test } from "bun:test";
import { turnFailure } from "./failures.ts";
import { last, read, setUp, started, types } from "../../tests/support/guarded-session-kit.ts";

test("a turn carries its ids on every event and ends with the text, model, usage and time", async () => {
  const { sink, clock, done } = await started();
  sink.emit({ type: "model.served", model: "asked-model" });
  sink.emit({ type: "text.delta", messageId: "m1", text: "hel" });
  sink.emit({ type: "text.delta", messageId: "m1", text: "lo" });
  sink.emit({
    type: "usage.reported",
    usage: { inputTokens: 5, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 },
  });
  sink.emit({
    type: "usage.reported",
    usage: { inputTokens: 5, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 0 },
  });
  await clock.advance(30);
  sink.complete();

  const events = await done;
  expect(types(events)).toEqual([
    "turn.started",
    "model.served",
    "text.delta",
    "text.delta",
    "usage.reported",
    "usage.reported",
    "turn.completed",
  ]);
  expect(events.every((event) => event.sessionId === "s1" && event.turnId === "id1")).toBe(true);
  expect(last(events)).toMatchObject({
    type: "turn.completed",
    text: "hello",
    modelAsked: "asked-model",
    modelServed: "asked-model",
    usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 1, costUsd: 0.5 },
    durationMs: 30,
  });
});

test("the text of a turn is its last message, not all of them", async () => {
  const { sink, done } = await started();
  sink.emit({ type: "text.delta", messageId: "m1", text: "I will look." });
  sink.emit({ type: "text.delta", messageId: "m2", text: "COMP" });
  sink.emit({ type: "message.finished", messageId: "m2", text: "COMPLETE" });
  sink.emit({ type: "message.finished", messageId: "m3", text: "" });
  sink.complete();

  expect(last(await done)).toMatchObject({ text: "COMPLETE" });
});

test("nothing that comes after the end of a turn is heard, and only the first end counts", async () => {
  const { sink, done } = await started();
  sink.complete({ text: "done" });
  sink.fail(turnFailure("crashed", "late"));
  sink.emit({ type: "text.delta", messageId: "m", text: "late" });
  sink.streamEnded();

  const events = await done;
  expect(types(events)).toEqual(["turn.started", "turn.completed"]);
  expect(sink.isOver).toBe(true);
  expect(sink.signal.aborted).toBe(true);
});

test("a stream that ends without a result fails the turn as crashed, with exit code and last words", async () => {
  const { sink, done } = await started();
  sink.streamEnded({ exitCode: 7, stderr: "out of memory\n" });

  expect(last(await done)).toMatchObject({
    type: "turn.failed",
    failure: { kind: "crashed", exitCode: 7, retryable: true },
  });
  expect((last(await done) as { failure: { message: string } }).failure.message).toContain("out of memory");
});

test("a backend session that throws, at once or later, fails the turn", async () => {
  const atOnce = setUp({
    start: () => {
      throw new Error("no pipe");
    },
  });
  const later = setUp({ start: () => Promise.reject(new Error("no answer")) });

  expect(last(await read(atOnce.session.turn("go")).done)).toMatchObject({
    type: "turn.failed",
    failure: { message: "no pipe" },
  });
  expect(last(await read(later.session.turn("go")).done)).toMatchObject({
    type: "turn.failed",
    failure: { message: "no answer" },
  });
});

test("turns of a session wait for each other; one interrupted while it waits never starts", async () => {
  const { session, sinks, calls, clock } = setUp();
  const stop = new AbortController();
  const first = read(session.turn("one"));
  const second = read(session.turn("two", { signal: stop.signal }));
  const third = read(session.turn("three"));
  await clock.advance(0);
  expect(calls).toEqual(["start one"]);

  stop.abort();
  expect(types(await second.done)).toEqual(["turn.interrupted"]);
  sinks[0]?.complete();
  await first.done;
  await clock.advance(0);

  expect(calls).toEqual(["start one", "start three"]);
  sinks[1]?.complete();
  await third.done;
});

test("a waiting turn is not held to the watchdog of the one before it", async () => {
  const { session, sinks, clock } = setUp();
  const first = read(session.turn("one"));
  const second = read(session.turn("two"));
  await clock.advance(90);
  sinks[0]?.complete();
  await first.done;
  await clock.advance(90);
  sinks[1]?.complete({ text: "fresh" });

  expect(last(await second.done)).toMatchObject({ type: "turn.completed", text: "fresh" });
});

test("closing interrupts what runs and what waits, then closes the backend session, and refuses further turns", async () => {
  const { session, sinks, calls, clock } = setUp({ interrupt: () => sinks[0]?.interrupted() });
  const first = read(session.turn("one"));
  const second = read(session.turn("two"));
  await clock.advance(0);

  await Promise.all([session.close(), session.close()]);

  expect(last(await first.done)).toMatchObject({ type: "turn.interrupted", by: "closed" });
  expect(types(await second.done)).toEqual(["turn.interrupted"]);
  expect(calls).toEqual(["start one", "close"]);
  expect(() => session.turn("more")).toThrow(expect.objectContaining({ code: "AGENT_SESSION_CLOSED" }));
});

test("closing does not wait for a backend session that never closes", async () => {
  const { session, clock } = setUp({ close: () => new Promise(() => {}) });
  const closed = session.close();
  await clock.advance(20);
  await closed;
});

test("a served model that is not the one asked for is announced once", async () => {
  const { sink, done } = await started();
  sink.emit({ type: "model.served", model: "other" });
  sink.emit({ type: "model.served", model: "other" });
  sink.complete();

  const events = await done;
  expect(events.filter((event) => event.type === "model.substituted")).toEqual([
    expect.objectContaining({ asked: "asked-model", served: "other" }),
  ]);
  expect(last(events)).toMatchObject({ modelAsked: "asked-model", modelServed: "other" });
});

test("what a backend can't do is refused with its reason", async () => {
  const { session } = setUp({}, {}, { compact: "its program has no such command", contextUsage: "it does not say" });

  await expect(session.compact()).rejects.toMatchObject({
    code: "AGENT_CAPABILITY",
    message: expect.stringContaining("no such command"),
  });
  await expect(session.contextUsage()).rejects.toMatchObject({ code: "AGENT_CAPABILITY" });
});

test("events of a turn can be read once", () => {
  const { session } = setUp();
  const events = session.turn("go");
  events[Symbol.asyncIterator]();

  expect(() => events[Symbol.asyncIterator]()).toThrow("once");
});
