import { afterEach, expect, test } from "bun:test";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { bodyStart, readEventBytes } from "./event-bytes.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) server.close();
});

/** A server with a fixed answer to every request. */
async function serve(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("data", () => answer(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/event`;
}

function read(url: string, signal = new AbortController().signal) {
  const chunks: Buffer[] = [];
  const end = readEventBytes(url, { headers: { "x-test": "yes" }, signal, onBytes: (bytes) => chunks.push(bytes) });
  return { end, text: () => Buffer.concat(chunks).toString() };
}

const headWith = (field: string): string => `HTTP/1.1 200 OK\r\n${field}\r\n\r\n`;
const head = headWith("content-type: text/event-stream");

test("bodyStart finds where the events start, wherever the head is cut", () => {
  for (let at = 0; at < head.length; at++) expect(bodyStart(Buffer.from(head.slice(0, at)))).toBeUndefined();

  expect(bodyStart(Buffer.from(head))).toBe(head.length);
  expect(bodyStart(Buffer.from(`${head}data: x`))).toBe(head.length);
});

test("readEventBytes asks for the path with its headers, and gives what is behind the head as it is", async () => {
  const events = `data: ${"é".repeat(2_000_000)}\r\n\r\n`;
  let asked = "";
  const url = await serve((socket) => socket.end(head + events));
  servers[0]?.prependListener("connection", (socket) => socket.once("data", (bytes) => (asked = bytes.toString())));
  const { end, text } = read(`${url}?directory=%2Fa%20b`);

  expect(await end).toBe("the server ended it");
  expect(text() === events).toBe(true);
  expect(asked).toStartWith("GET /event?directory=%2Fa%20b HTTP/1.0\r\n");
  expect(asked).toContain("\r\nx-test: yes\r\n");
});

for (const { encoding, body } of [
  { encoding: "transfer-encoding: chunked", body: "5\r\ndata:\r\n4\r\n x\n\n\r\n0\r\n\r\n" },
  { encoding: "Content-Encoding: gzip", body: gzipSync("data: x\n\n") },
])
  test(`readEventBytes reads events that come with "${encoding}"`, async () => {
    const url = await serve((socket) => {
      socket.write(headWith(encoding));
      socket.end(body);
    });
    const { end, text } = read(url);

    expect(await end).toBe("the server ended it");
    expect(text()).toBe("data: x\n\n");
  });

for (const { what, answer, reason } of [
  { what: "speaks no HTTP", answer: "SSH-2.0-server\r\n\r\n", reason: "not a valid HTTP response" },
  {
    what: "never sends events",
    answer: `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`,
    reason: "the head of its answer has no end",
  },
  { what: "refuses", answer: "HTTP/1.1 401 Unauthorized\r\n\r\n", reason: "status 401" },
])
  test(`readEventBytes fails on a server that ${what}, and says so`, async () => {
    const { end } = read(await serve((socket) => socket.end(answer)));

    await expect(end).rejects.toThrow(reason);
  });

test("readEventBytes ends with a server that ends in the middle of its head", async () => {
  const { end, text } = read(await serve((socket) => socket.end(head.slice(0, 20))));

  expect(await end).toBe("the server ended it");
  expect(text()).toBe("");
});

test("readEventBytes fails when the connection is reset", async () => {
  const url = await serve((socket) => socket.write(`${head}data: x\n\n`));
  const { end, text } = read(url);
  while (text() === "") await new Promise((resolve) => setImmediate(resolve));
  for (const socket of sockets) socket.resetAndDestroy();

  await expect(end).rejects.toThrow("ECONNRESET");
});

test("readEventBytes fails when no server listens", async () => {
  const url = await serve(() => {});
  await new Promise((resolve) => servers.pop()?.close(resolve));

  await expect(read(url).end).rejects.toThrow(/connect/i);
});

test("readEventBytes stops at once on abort, before and after it is connected", async () => {
  const url = await serve((socket) => socket.write(head));
  const reason = (signal: AbortSignal): Promise<string> => read(url, signal).end.catch((error: Error) => error.message);
  const before = new AbortController();
  const early = reason(before.signal);
  before.abort();
  const after = new AbortController();
  const connected = new Promise<void>((resolve) => servers[0]?.once("connection", () => resolve()));
  const late = reason(after.signal);
  await connected;
  after.abort();

  expect(await early).toBe("nothing came for too long");
  expect(await late).toBe("nothing came for too long");
  expect(await reason(after.signal)).toBe("nothing came for too long");
});

test("readEventBytes ends with what its reader throws", async () => {
  const url = await serve((socket) => socket.write(`${head}data: x\n\n`));
  const onBytes = (): void => {
    throw new Error("that was too much");
  };

  await expect(readEventBytes(url, { headers: {}, signal: new AbortController().signal, onBytes })).rejects.toThrow(
    "that was too much",
  );
});
