import { expect, test } from "bun:test";
import { parseEvent } from "./parse-event.ts";

const text = (type: string, properties: unknown): string => JSON.stringify({ id: "evt_1", type, properties });

test("parseEvent reads a piece of text", () => {
  const delta = { sessionID: "ses_1", messageID: "msg_1", partID: "prt_1", field: "text", delta: "hi" };

  expect(parseEvent(text("message.part.delta", delta))).toEqual({
    type: "part.delta",
    sessionId: "ses_1",
    partId: "prt_1",
    text: "hi",
  });
});

test("parseEvent passes over events that say nothing to this backend", () => {
  expect(parseEvent(text("server.heartbeat", {}))).toBeUndefined();
  expect(parseEvent(text("file.edited", { file: "a" }))).toBeUndefined();
  expect(parseEvent(text("constructor", {}))).toBeUndefined();
  expect(parseEvent(`{"id":"evt_1","type":"session.diff","properties":${"[".repeat(2000)}`)).toBeUndefined();
  expect(parseEvent("null")).toBeUndefined();
});

test("parseEvent keeps parts it does not know as others", () => {
  const part = { id: "prt_1", messageID: "msg_1", sessionID: "ses_1", type: "hologram", text: "x" };

  expect(parseEvent(text("message.part.updated", { part }))).toMatchObject({ part: { type: "other", id: "prt_1" } });
});

test("parseEvent says when an event of a known type can't be read", () => {
  for (const data of ["{", text("message.updated", { info: { role: "assistant" } }), text("session.status", null)])
    expect(parseEvent(data)).toMatchObject({ type: "unreadable" });
});

test("parseEvent distinguishes an error of a session from one of the folder", () => {
  const error = { name: "UnknownError", data: { message: "no" } };

  expect(parseEvent(text("session.error", { sessionID: "ses_1", error }))).toMatchObject({ type: "session.failed" });
  expect(parseEvent(text("session.error", { error }))).toEqual({ type: "folder.failed", error });
});
