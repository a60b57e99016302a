import { expect, test } from "bun:test";
import { createFrameReader, frameOf, messageIn } from "./frames.ts";

function messagesIn(...pieces: readonly Uint8Array[]): unknown[] {
  const messages: unknown[] = [];
  const reader = createFrameReader((frame, bodyAt) => messages.push(messageIn(frame, bodyAt)));
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return messages;
}

test("messages are read however their bytes are cut", () => {
  const bytes = Buffer.concat([{ a: "Grüße 🦊" }, {}, { b: [1] }].map(frameOf));
  const expected = [{ a: "Grüße 🦊" }, {}, { b: [1] }];
  expect(messagesIn(bytes)).toEqual(expected);
  expect(messagesIn(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  for (let at = 1; at < bytes.length; at++)
    expect(messagesIn(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
});

test("a header may say more than the length", () => {
  const frame = "content-length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}";
  expect(messagesIn(Buffer.from(frame))).toEqual([{}]);
});

test("a warning before a message is left out", () => {
  const frames: string[] = [];
  createFrameReader((frame) => frames.push(frame.toString())).push(
    Buffer.concat([Buffer.from("Warning: old!\n"), frameOf({ a: 1 })]),
  );
  expect(frames).toEqual([frameOf({ a: 1 }).toString()]);
});

test("anything else than a message is refused, and the error quotes it", () => {
  expect(() => messagesIn(Buffer.from("Welcome!\r\n\r\nand more"))).toThrow(/something else.*Welcome!/);
  expect(() => messagesIn(Buffer.from("blah ".repeat(20_000)))).toThrow(/something else.*blah blah/);
  expect(() => messagesIn(Buffer.from("Content-Length: 99999999999\r\n\r\n"))).toThrow(/something else/);
  expect(() => messagesIn(Buffer.from("Content-Length: 3\r\n\r\n{no"))).toThrow();
});

test("a message of 100 MB that comes in small pieces is put together once", () => {
  const frame = frameOf({ text: "x".repeat(100_000_000) });
  const pieces = Array.from({ length: Math.ceil(frame.length / 65_536) }, (_, at) =>
    frame.subarray(at * 65_536, (at + 1) * 65_536),
  );
  const [message] = messagesIn(...pieces) as [{ readonly text: string }];
  expect(message.text.length).toBe(100_000_000);
});
