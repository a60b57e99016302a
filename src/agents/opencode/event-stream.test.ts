import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { systemClock, type Clock } from "../../lib/clock.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";

/** Fifty times as fast: limits of a minute pass in a second. */
const fastClock: Clock = { now: () => Date.now() * 50, sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) };
const servers: Server[] = [];
const tcpServers: TcpServer[] = [];
const streams: EventStream[] = [];
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  for (const server of tcpServers.splice(0)) server.close();
});

async function serve(answer: (response: ServerResponse, attempt: number) => void): Promise<string> {
  let attempts = 0;
  const server = createServer((_, response) => answer(response, ++attempts));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that says what it is told, byte by byte. */
async function serveRaw(answer: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => socket.on("error", () => {}).once("data", () => answer(socket)));
  tcpServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(url: string) {
  const log: string[] = [];
  const stream = createEventStream({
    url,
    headers: {},
    clock: fastClock,
    onData: (data) => log.push(data),
    onGap: () => log.push("gap"),
    onLost: (reason) => log.push(`lost: ${reason}`),
  });
  streams.push(stream);
  return { stream, log };
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await systemClock.sleep(10);
  expect(condition()).toBe(true);
}

const start = (response: ServerResponse, data: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${data}\n\n`);
};

test("createEventStream is ready with the first event, and connects again when the connection drops", async () => {
  const url = await serve((response, attempt) => {
    start(response, `hello ${attempt}`);
    if (attempt === 1) setTimeout(() => response.destroy(), 20);
  });
  const { stream, log } = open(url);
  await stream.ready;
  await until(() => log.length === 3);

  expect(log).toEqual(["hello 1", "gap", "hello 2"]);
});

test("createEventStream connects again when the server says nothing for long, not even a heartbeat", async () => {
  const { log } = open(await serve((response, attempt) => start(response, `hello ${attempt}`)));
  await until(() => log.includes("hello 2"));

  expect(log.slice(0, 3)).toEqual(["hello 1", "gap", "hello 2"]);
});

test("createEventStream gives up after a number of attempts, and says why", async () => {
  const { stream, log } = open(await serve((response) => response.writeHead(503).end()));
  await expect(stream.ready).rejects.toThrow("status 503");

  expect(log).toEqual(["lost: status 503"]);
});

test("createEventStream counts a connection that ends at once as an attempt", async () => {
  const { log } = open(
    await serve((response) => {
      start(response, "hello");
      response.end();
    }),
  );
  await until(() => log.some((line) => line.startsWith("lost")));

  expect(log.filter((line) => line === "hello").length).toBeLessThan(10);
});

test("createEventStream says nothing more once it is closed", async () => {
  const { stream, log } = open(await serve((response) => start(response, "hello")));
  await stream.ready;
  stream.close();
  for (const server of servers) server.closeAllConnections();
  await systemClock.sleep(200);

  expect(log).toEqual(["hello"]);
});

const okHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

test("createEventStream reads what arrives in other pieces than it was written in, the head too", async () => {
  const large = "x".repeat(3_000_000);
  const url = await serveRaw((socket) => {
    const pieces = [okHead.slice(0, 30), okHead.slice(30), "data: o", "ne\n", "\ndata: ", large, "\n\ndata: three\n\n"];
    const next = (): void => {
      const piece = pieces.shift();
      if (piece !== undefined) socket.write(piece, () => setTimeout(next, 5));
    };
    next();
  });
  const { log } = open(url);
  await until(() => log.length === 3);

  expect(log[0]).toBe("one");
  expect(log[1] === large).toBe(true);
  expect(log[2]).toBe("three");
});

for (const { what, answer, reason } of [
  { what: "speaks no HTTP", answer: "SSH-2.0-server\r\n\r\n", reason: "its answer is no HTTP" },
  {
    what: "never comes to its events",
    answer: `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`,
    reason: "its answer is no HTTP",
  },
  {
    what: "sends its events in chunks",
    answer: okHead.replace("\r\n\r\n", "\r\ntransfer-encoding: chunked\r\n\r\n7\r\ndata: x\r\n"),
    reason: "its events are encoded, which was not asked for",
  },
  { what: "ends before its answer", answer: "HTTP/1.1 2", reason: "the server ended it" },
])
  test(`createEventStream gives up on a server that ${what}, and says so`, async () => {
    const { stream, log } = open(await serveRaw((socket) => socket.end(answer)));
    await expect(stream.ready).rejects.toThrow(reason);

    expect(log).toEqual([`lost: ${reason}`]);
  });

test("createEventStream says why when nobody listens", async () => {
  const url = await serveRaw(() => {});
  await new Promise((resolve) => tcpServers.pop()?.close(resolve));

  await expect(open(url).stream.ready).rejects.toThrow(/refused|connect/i);
});
