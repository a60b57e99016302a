import { expect, test } from "bun:test";
import { createFakeClock } from "../testing/fake-clock.ts";
import { capabilitiesWithout } from "./capabilities.ts";
import type { BackendSession, TurnSink } from "./backend-session.ts";
import type { AgentEvent } from "./events.ts";
import { turnFailure } from "./failures.ts";
import { createGuardedSession } from "./guarded-session.ts";
import type { OpenOptions, TurnOptions } from "./port.ts";
import { answer } from "./questions.ts";

const limits = {
  silenceMs: 100,
  toolMs: 1000,
  questionMs: 5000,
  interruptMs: 50,
  closeMs: 20,
  openMs: 1000,
  queryMs: 30,
  compactMs: 40,
};

/** A session over a backend session that does nothing by itself: the test plays the program. */
function setUp(
  overrides: Partial<BackendSession> = {},
  open: Partial<OpenOptions> = {},
  missing: Parameters<typeof capabilitiesWithout>[0] = {},
) {
  const clock = createFakeClock();
  const calls: string[] = [];
  const sinks: TurnSink[] = [];
  let ids = 0;
  const backendSession: BackendSession = {
    id: "s1",
    model: "asked-model",
    isSameModel: (asked, served) => asked === served,
    start(prompt, sink) {
      calls.push(`start ${prompt}`);
      sinks.push(sink);
    },
    interrupt: () => void calls.push("interrupt"),
    abandon: () => void calls.push("abandon"),
    compact: async () => ({}),
    contextUsage: async () => ({ usedTokens: 1 }),
    close: async () => void calls.push("close"),
    ...overrides,
  };
  const session = createGuardedSession({
    backend: { kind: "probe", capabilities: capabilitiesWithout(missing) },
    backendSession,
    open: { cwd: "/", limits, ...open },
    clock,
    newId: () => `id${++ids}`,
  });
  return { clock, calls, sinks, session };
}

function read(events: AsyncIterable<AgentEvent>): { seen: AgentEvent[]; done: Promise<AgentEvent[]> } {
  const seen: AgentEvent[] = [];
  const done = (async () => {
    for await (const event of events) seen.push(event);
    return seen;
  })();
  return { seen, done };
}

async function started(options: TurnOptions = {}, ...setup: Parameters<typeof setUp>) {
  const parts = setUp(...setup);
  const turn = read(parts.session.turn("go", options));
  await parts.clock.advance(0);
  const sink = parts.sinks[0];
  if (sink === undefined) throw new Error("the turn did not start");
  return { ...parts, ...turn, sink };
}

const types = (events: readonly AgentEvent[]): string[] => events.map((event) => event.type);
const last = (events: readonly AgentEvent[]): AgentEvent => events.at(-1) as AgentEvent;

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
