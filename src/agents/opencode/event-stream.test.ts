import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock, type Clock } from "../../lib/clock.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";

/** So many times as fast: at fifty, limits of a minute pass in a second. */
const clockAt = (speed: number): Clock => ({
  now: () => Date.now() * speed,
  sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
});
const fastClock = clockAt(50);
const servers: Server[] = [];
const streams: EventStream[] = [];
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(answer: (response: ServerResponse, attempt: number) => void): Promise<string> {
  let attempts = 0;
  const server = createServer((_, response) => answer(response, ++attempts));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(url: string, clock = fastClock) {
  const log: string[] = [];
  const stream = createEventStream({
    url,
    headers: {},
    clock,
    onData: (data) => log.push(data),
    onPause: () => {},
    onGap: () => log.push("gap"),
    onLost: (reason) => log.push(`lost: ${reason}`),
  });
  streams.push(stream);
  return { stream, log };
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
  await eventually("three things were reported", () => log.length === 3);

  expect(log).toEqual(["hello 1", "gap", "hello 2"]);
});

test("createEventStream connects again when the server says nothing for long, not even a heartbeat", async () => {
  const { log } = open(await serve((response, attempt) => start(response, `hello ${attempt}`)));
  await eventually("it is connected again", () => log.includes("hello 2"));

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
  await eventually("it is lost", () => log.some((line) => line.startsWith("lost")));

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

test("createEventStream gives up on a server that takes connections and never answers", async () => {
  let connections = 0;
  const { stream, log } = open(await serve(() => connections++), clockAt(500));
  await expect(stream.ready).rejects.toThrow("nothing came for too long");

  expect(log).toEqual(["lost: nothing came for too long"]);
  expect(connections).toBe(6);
});

test("createEventStream that is closed between two attempts makes no other one", async () => {
  let attempts = 0;
  const url = await serve((response) => {
    attempts++;
    response.writeHead(503).end();
  });
  let onSleep = (): void => {};
  const sleeping = new Promise<void>((resolve) => (onSleep = resolve));
  /** Every sleep lasts until it is aborted. The watchdog of a connection is the first. */
  let sleeps = 0;
  const clock: Clock = {
    now: () => 0,
    sleep(_, signal) {
      if (++sleeps === 2) onSleep();
      return systemClock.sleep(60_000, signal);
    },
  };
  const { stream, log } = open(url, clock);
  await sleeping;
  stream.close();
  await expect(stream.ready).rejects.toThrow("closed");

  expect(attempts).toBe(1);
  expect(log).toEqual([]);
});
