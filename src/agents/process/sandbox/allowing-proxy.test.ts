import { afterAll, expect, test } from "bun:test";
import { createServer, type Server as HttpServer } from "node:http";
import { connect, type AddressInfo, type Server } from "node:net";
import { parseHostRule } from "./allow-list.ts";
import { createAllowingProxy } from "./allowing-proxy.ts";

const open: (Server | HttpServer)[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

async function listen(server: Server | HttpServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends the text and gives everything that comes back. */
function talk(port: number, ...texts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk) => (said += chunk.toString("latin1")));
    socket.on("close", () => resolve(said));
    socket.on("error", reject);
    for (const text of texts) socket.write(text);
  });
}

const seen: string[] = [];
const web = await listen(
  createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    response.setHeader("connection", "close").end("web");
  }),
);
const rules = [parseHostRule(`127.0.0.1:${web}`) ?? { host: "", port: 0 }];
const proxy = await listen(createAllowingProxy({ rules: () => rules }));

test("the proxy connects to an allowed host by CONNECT", async () => {
  const said = await talk(
    proxy,
    `CONNECT 127.0.0.1:${web} HTTP/1.1\r\nHost: x\r\n\r\n`,
    "GET /inside HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  );
  expect(said).toStartWith("HTTP/1.1 200 Connection established\r\n\r\n");
  expect(said).toEndWith("web");
  expect(seen).toContain("GET /inside");
});

test("the proxy passes plain requests on, without what was meant for it", async () => {
  const said = await talk(
    proxy,
    `GET http://127.0.0.1:${web}/a?b=c HTTP/1.1\r\nHost: x\r\nProxy-Authorization: secret\r\n\r\n`,
  );
  expect(said).toEndWith("web");
  expect(seen).toContain("GET /a?b=c");
});

test("the proxy refuses other hosts, other ports and what it can't read, and connects to none of them", async () => {
  const before = seen.length;
  for (const [request, status] of [
    ["CONNECT 127.0.0.1:1 HTTP/1.1", "403"],
    [`CONNECT localhost:${web} HTTP/1.1`, "403"],
    ["GET http://example.com/ HTTP/1.1", "403"],
    [`GET http://127.0.0.1:${web}@example.com/ HTTP/1.1`, "403"],
    ["GET /relative HTTP/1.1", "400"],
    ["nonsense", "400"],
  ] as const)
    expect([request, (await talk(proxy, `${request}\r\nHost: x\r\n\r\n`)).split(" ")[1]]).toEqual([request, status]);
  expect(seen).toHaveLength(before);
});

test("the proxy goes through the user's own proxy where there is one", async () => {
  const asked: string[] = [];
  const upstream = createAllowingProxy({ rules: () => rules });
  upstream.prependListener("connection", (socket) => {
    socket.on("data", (chunk: Buffer) => asked.push(chunk.toString("latin1").split("\r\n\r\n")[0] ?? ""));
  });
  const port = await listen(upstream);
  const chained = await listen(createAllowingProxy({ rules: () => rules, upstream: `http://me:pw@127.0.0.1:${port}` }));
  const said = await talk(chained, `GET http://127.0.0.1:${web}/via HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(said).toEndWith("web");
  expect(asked[0]).toStartWith(`CONNECT 127.0.0.1:${web} HTTP/1.1`);
  expect(asked[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from("me:pw").toString("base64")}`);
});
