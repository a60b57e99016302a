import { expect, test } from "bun:test";
import type { BackendEvent } from "../backend-session.ts";
import { createSessionReport } from "./session-report.ts";
import type { OpencodeAssistantMessage, Message, Part, TokenCounts, ToolState } from "./wire.ts";

const tokens: TokenCounts = { input: 10, output: 3, reasoning: 2, cache: { read: 5, write: 1 } };
const user = (id: string): Message => ({
  role: "user",
  id,
  sessionID: "ses",
  model: { providerID: "p", modelID: "m" },
});
const assistant = (
  id: string,
  parentID: string,
  fields: Partial<OpencodeAssistantMessage> = {},
): OpencodeAssistantMessage => ({
  role: "assistant",
  id,
  parentID,
  sessionID: "ses",
  providerID: "p",
  modelID: "m",
  isSummary: false,
  isCompleted: false,
  finish: undefined,
  error: undefined,
  tokens,
  ...fields,
});
const done = { isCompleted: true, finish: "stop" };
const place = { sessionID: "ses", messageID: "msg_2" };
const text = (id: string, value: string, messageID = "msg_2"): Part => ({
  ...place,
  messageID,
  id,
  type: "text",
  text: value,
});
const bash = (state: Partial<ToolState>): Part => ({
  ...place,
  id: "prt_t",
  type: "tool",
  tool: "bash",
  state: { status: "running", input: {}, metadata: {}, output: "", ...state },
});

/** A report that has seen a prompt of this turn and the start of its answer. */
function setUp(seen: readonly string[] = [], isStopping = false) {
  const events: BackendEvent[] = [];
  const report = createSessionReport({
    sink: { emit: (event) => events.push(event), touch: () => {} },
    agentId: undefined,
    seenPrompts: new Set(seen),
    onTool: () => {},
    isStopping: () => isStopping,
  });
  report.message(user("msg_1"));
  report.message(assistant("msg_2", "msg_1"));
  const of = (type: BackendEvent["type"]): BackendEvent[] => events.filter((event) => event.type === type);
  return { report, events, of };
}

test("a report emits pieces once, and what was missed at the end of a part", () => {
  const { report, of } = setUp();
  report.part(text("prt_1", ""));
  report.delta({ type: "part.delta", sessionId: "ses", partId: "prt_1", text: "Hel" });
  report.part(text("prt_1", "Hello"));
  report.part(text("prt_1", "Hello"));
  report.message(assistant("msg_2", "msg_1", done));
  report.message(assistant("msg_2", "msg_1", done));

  expect(of("text.delta").map((event) => "text" in event && event.text)).toEqual(["Hel", "lo"]);
  expect(of("message.finished")).toEqual([
    { type: "message.finished", agentId: undefined, messageId: "msg_2", text: "Hello" },
  ]);
});

test("a report finishes with the whole text when a piece in the middle was missed", () => {
  const { report, of } = setUp();
  report.part(text("prt_1", ""));
  report.delta({ type: "part.delta", sessionId: "ses", partId: "prt_1", text: "one " });
  report.delta({ type: "part.delta", sessionId: "ses", partId: "prt_1", text: "three" });
  report.part(text("prt_1", "one two three"));
  report.message(assistant("msg_2", "msg_1", done));

  expect(of("message.finished")).toMatchObject([{ text: "one two three" }]);
});

test("the pieces of a message with two texts give the text that it is finished with", () => {
  const { report, of } = setUp();
  report.part(text("prt_1", "First."));
  report.part(text("prt_2", ""));
  report.delta({ type: "part.delta", sessionId: "ses", partId: "prt_2", text: "Second." });
  report.message(assistant("msg_2", "msg_1", done));

  const pieces = of("text.delta").map((event) => ("text" in event ? event.text : ""));
  expect(of("message.finished")).toMatchObject([{ text: pieces.join("") }]);
  expect(pieces.join("")).toBe("First.\n\nSecond.");
});

test("what was written before OpenCode asked the model again is not part of the answer", () => {
  const { report, of } = setUp();
  report.part(text("prt_1", "This text is cu"));
  report.restart();
  report.part(text("prt_2", "The answer."));
  report.message(assistant("msg_2", "msg_1", done));

  expect(of("message.finished")).toMatchObject([{ text: "The answer." }]);
});

test("events of earlier prompts neither report nor end anything", () => {
  const { report, events } = setUp(["msg_0"]);
  const before = events.length;
  report.message(user("msg_0"));
  report.message(assistant("msg_0a", "msg_0", done));
  report.part(text("prt_0", "old", "msg_0a"));

  expect(events.length).toBe(before);
  expect(report.answer?.id).toBe("msg_2");
});

test("the answer is the newest to the newest prompt: a prompt that OpenCode adds itself continues the turn", () => {
  const { report } = setUp();
  report.message(assistant("msg_2", "msg_1", done));
  report.message(user("msg_3"));
  expect(report.answer).toBeUndefined();
  report.message(assistant("msg_4", "msg_3", { isSummary: true, ...done }));
  report.message(user("msg_5"));
  report.message(assistant("msg_6", "msg_5"));
  report.message(assistant("msg_2", "msg_1", done));

  expect(report.answer?.id).toBe("msg_6");
});

test("the text of a summary is not a message, but its tokens count", () => {
  const { report, of } = setUp();
  report.message(assistant("msg_4", "msg_1", { isSummary: true }));
  report.part(text("prt_1", "A summary.", "msg_4"));
  report.part({ ...place, messageID: "msg_4", id: "prt_s", type: "step-finish", cost: 0.1, tokens });
  report.message(assistant("msg_4", "msg_1", { isSummary: true, ...done }));

  expect(of("text.delta")).toEqual([]);
  expect(of("message.finished")).toEqual([]);
  expect(of("usage.reported").length).toBe(1);
});

test("a step is counted once, with the reasoning in its output; a price of 0 is an unknown price", () => {
  const { report, of } = setUp();
  const step: Part = { ...place, id: "prt_s", type: "step-finish", cost: 0, tokens };
  report.part(step);
  report.part(step);

  expect(of("usage.reported")).toEqual([
    {
      type: "usage.reported",
      agentId: undefined,
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 5, cacheWriteTokens: 1 },
    },
  ]);
  expect(of("context.measured")).toMatchObject([{ usedTokens: 21 }]);
});

test("a shell streams its output, and fails by its exit code", () => {
  const { report, of } = setUp();
  const input = { command: "x" };
  report.part(bash({ status: "pending" }));
  report.part(bash({ status: "running", input }));
  report.part(bash({ status: "running", input, metadata: { output: "one\n" } }));
  report.part(bash({ status: "running", input, metadata: { output: "one\ntwo\n" } }));
  report.part(bash({ status: "completed", input, output: "one\ntwo\n", metadata: { exit: 3 } }));
  report.part(bash({ status: "completed", input, output: "one\ntwo\n", metadata: { exit: 3 } }));

  expect(of("tool.started")).toMatchObject([{ toolCallId: "prt_t", kind: "shell", input }]);
  expect(of("tool.progressed").map((event) => "output" in event && event.output)).toEqual(["one\n", "two\n"]);
  expect(of("tool.finished")).toMatchObject([{ outcome: "failed", exitCode: 3, output: "one\ntwo\n" }]);
});

test("a tool that OpenCode aborted is interrupted, one that it ended by a limit has failed", () => {
  const input = { command: "x" };
  const ended = (state: Parameters<typeof bash>[0], isStopping = false) => {
    const { report, of } = setUp([], isStopping);
    report.part(bash(state));
    return of("tool.finished")[0];
  };

  expect(ended({ status: "error", input, output: "aborted", metadata: { interrupted: true } })).toMatchObject({
    outcome: "interrupted",
  });
  expect(ended({ status: "error", input, output: "Task cancelled" }, true)).toMatchObject({ outcome: "interrupted" });
  expect(ended({ status: "error", input, output: "it failed" })).toMatchObject({ outcome: "failed" });
  expect(ended({ status: "completed", input, output: "", metadata: { exit: null } })).toMatchObject({
    outcome: "failed",
  });
});
