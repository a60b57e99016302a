import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "bun:test";
import { openWire } from "./copilot-wire.ts";
import { createFrameReader, frameOf, messageIn } from "./frames.ts";

const token = "secret";

async function wired() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const wire = await openWire({ stdin, stdout }, token);
  const [, port] = wire.url.split(":");
  const heard: unknown[] = [];
  stdin.on("data", reading(heard));
  return {
    wire,
    stdout,
    heard,
    say: (message: object) => stdout.write(frameOf(message)),
    visitor: (): { readonly socket: Socket; readonly got: unknown[] } => {
      const got: unknown[] = [];
      const socket = connect(Number(port), "127.0.0.1");
      // Refused, or cut off.
      socket.on("error", () => {});
      socket.on("data", reading(got));
      return { socket, got };
    },
    [Symbol.asyncDispose]: async () => {
      wire.closeDoor();
      stdout.destroy();
    },
  };
}

function reading(messages: unknown[]): (bytes: Buffer) => void {
  const frames = createFrameReader((frame, bodyAt) => messages.push(messageIn(frame, bodyAt)));
  return (bytes) => frames.push(bytes);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("close", resolve));
const greeting = { id: 1, method: "connect", params: { token, more: true } };
const event = (type: string): object => ({
  method: "session.event",
  params: { sessionId: "s", event: { type, data: {} } },
});

test("who knows the token speaks to the program, which never hears it", async () => {
  await using it = await wired();
  it.say({ early: true });
  const { socket, got } = it.visitor();
  socket.write(frameOf(greeting));
  socket.write(frameOf({ id: 2, method: "ping" }));
  await until(() => it.heard.length === 2 && got.length === 1);
  expect(it.heard).toEqual([
    { id: 1, method: "connect", params: { more: true } },
    { id: 2, method: "ping" },
  ]);
  expect(got).toEqual([{ early: true }]);
  socket.end();
});

test("nobody else is let in, before the SDK or beside it", async () => {
  await using it = await wired();
  for (const bytes of [frameOf({ id: 1, method: "connect", params: { token: "guess" } }), "GET / HTTP/1.1\r\n\r\n"]) {
    const { socket } = it.visitor();
    socket.write(bytes);
    await closed(socket);
  }
  const sdk = it.visitor();
  sdk.socket.write(frameOf(greeting));
  await until(() => it.heard.length === 1);
  const second = it.visitor();
  second.socket.write(frameOf(greeting));
  await closed(second.socket);
  expect(it.heard).toHaveLength(1);
  sdk.socket.end();
});

test("events go to who listens; the SDK gets those that may ask for something", async () => {
  await using it = await wired();
  const { socket, got } = it.visitor();
  socket.write(frameOf(greeting));
  await until(() => it.heard.length === 1);
  const events: string[] = [];
  const stop = it.wire.listen("s", ({ type }) => events.push(type));
  for (const type of ["assistant.message_delta", "permission.requested", "session.idle", "something.new"])
    it.say(event(type));
  await until(() => got.length === 2);
  expect(events).toEqual(["assistant.message_delta", "permission.requested", "session.idle", "something.new"]);
  expect(got).toEqual([event("permission.requested"), event("something.new")]);

  stop();
  it.say(event("permission.requested"));
  await until(() => got.length === 3);
  expect(events).toHaveLength(4);
  socket.end();
});

test("a program that speaks another language is told of, and not read on", async () => {
  await using it = await wired();
  it.stdout.write("Welcome to something else!\r\n\r\n");
  await expect(it.wire.broken).rejects.toThrow(/Welcome to something else/);
  it.stdout.write("more\r\n\r\n");
});

test("the connection ends with the program's output", async () => {
  await using it = await wired();
  const sdk = it.visitor();
  sdk.socket.write(frameOf(greeting));
  await until(() => it.heard.length === 1);
  it.stdout.destroy();
  await closed(sdk.socket);
});

test("an SDK that comes after the program has ended is hung up on, and the door is closed", async () => {
  await using it = await wired();
  it.stdout.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  const { socket } = it.visitor();
  let isEnded = false;
  socket.once("end", () => (isEnded = true));
  await closed(socket);
  expect(isEnded).toBe(true);
  const second = it.visitor();
  await closed(second.socket);
});

test("who says much before the token is cut off", async () => {
  await using it = await wired();
  const { socket } = it.visitor();
  socket.write(`Content-Length: 100000\r\n\r\n${" ".repeat(80_000)}`);
  await closed(socket);
  expect(it.heard).toEqual([]);
});
