import { PassThrough } from "node:stream";
import { expect, test } from "bun:test";
import { type RequestHandler, openWire } from "./copilot-wire.ts";
import { createFrameReader, frameOf, messageIn } from "./frames.ts";

function wired(answerRequest: RequestHandler = () => undefined) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const heard: Record<string, unknown>[] = [];
  const frames = createFrameReader((frame, bodyAt) => heard.push(messageIn(frame, bodyAt) as Record<string, unknown>));
  stdin.on("data", (bytes: Buffer) => frames.push(bytes));
  const wire = openWire({ stdin, stdout }, answerRequest);
  return { wire, stdout, heard, say: (message: object) => stdout.write(frameOf(message)) };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

const event = (sessionId: string, type: string): object => ({
  method: "session.event",
  params: { sessionId, event: { type, data: {} } },
});

test("a request resolves with the result that has its id, in any order", async () => {
  const { wire, say, heard } = wired();
  const [first, second] = [wire.request("one", { a: 1 }), wire.request("two", {})];
  await until(() => heard.length === 2);
  expect(heard).toEqual([
    { jsonrpc: "2.0", id: 1, method: "one", params: { a: 1 } },
    { jsonrpc: "2.0", id: 2, method: "two", params: {} },
  ]);
  say({ id: 2, result: { of: "two" } });
  say({ id: 1, result: { of: "one" } });
  say({ id: 99, result: {} });
  expect([await first, await second]).toEqual([{ of: "one" }, { of: "two" }]);
});

test("a request rejects with the program's error, and when the program's output ends", async () => {
  const { wire, say, stdout } = wired();
  const refused = wire.request("one", {});
  say({ id: 1, error: { code: -32603, message: "no such session" } });
  await expect(refused).rejects.toThrow("no such session");

  const lost = wire.request("two", {});
  stdout.destroy();
  await expect(lost).rejects.toThrow("has ended");
  await expect(wire.request("three", {})).rejects.toThrow("has ended");
});

test("events go to who listens to their session, until they stop", async () => {
  const { wire, say } = wired();
  const got: string[] = [];
  const stop = wire.listen("s", ({ type }) => got.push(`first ${type}`));
  wire.listen("s", ({ type }) => got.push(`second ${type}`));
  wire.listen("other", ({ type }) => got.push(`other ${type}`));
  say(event("s", "session.idle"));
  await until(() => got.length === 2);
  stop();
  say(event("s", "something.new"));
  say(event("nobody", "session.idle"));
  say(event("other", "session.idle"));
  await until(() => got.length === 4);

  expect(got).toEqual(["first session.idle", "second session.idle", "second something.new", "other session.idle"]);
});

test("a request of the program is answered by its handler, with its error, or as unknown", async () => {
  const { say, heard } = wired((method) => {
    if (method === "ask") return Promise.resolve({ answer: "blue" });
    return method === "fail" ? Promise.reject(new Error("broken")) : undefined;
  });
  for (const [id, method] of ["ask", "fail", "else"].entries()) say({ id, method, params: {} });
  await until(() => heard.length === 3);

  expect(heard.toSorted((a, b) => Number(a["id"]) - Number(b["id"]))).toEqual([
    { jsonrpc: "2.0", id: 0, result: { answer: "blue" } },
    { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "broken" } },
    { jsonrpc: "2.0", id: 2, error: { code: -32601, message: "no method else" } },
  ]);
});

test("a program that speaks another language is reported, and not read any further", async () => {
  const { wire, stdout } = wired();
  stdout.write("Welcome to something else!\r\n\r\n");
  await expect(wire.broken).rejects.toThrow(/Welcome to something else/);
  stdout.write("more\r\n\r\n");
});
