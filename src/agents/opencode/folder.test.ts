import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../lib/clock.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { createFolder, type Folder } from "./folder.ts";

type Json = Readonly<Record<string, unknown>>;

const servers: Server[] = [];
const folders: Folder[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.end(false);
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A folder at a server that sends the given text, all of it in one packet. */
async function openFolder() {
  let stream: ServerResponse | undefined;
  const server = createServer((_, response) => {
    stream = response.writeHead(200, { "content-type": "text/event-stream" });
    send({ type: "server.connected", properties: {} });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const send = (...events: readonly Json[]): void =>
    void stream?.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  const folder = createFolder({
    path: "/work",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    call: () => Promise.reject(new Error("nothing is asked here")),
    clock: systemClock,
    onLost: () => {},
  });
  folders.push(folder);
  await folder.ready;
  const follow = (sessionId: string): string[] => {
    const reported: string[] = [];
    folder.follow(sessionId, {
      onEvent: (event) => reported.push(event.type === "part.delta" ? event.text : event.type),
      onNotice: (message) => reported.push(message),
      onGap: () => reported.push("gap"),
      onLost: () => reported.push("lost"),
    });
    return reported;
  };
  return { send, follow };
}

const piece = (text: string, sessionID = "ses_1"): Json => ({
  type: "message.part.delta",
  properties: { sessionID, partID: "prt_1", delta: text },
});
const status = (type: string, sessionID = "ses_1"): Json => ({
  type: "session.status",
  properties: { sessionID, status: { type } },
});

test("pieces of a text that arrive together are reported as one, in order", async () => {
  const { send, follow } = await openFolder();
  const reported = follow("ses_1");
  send(status("busy"), piece("one "), piece("two "), piece("three"), status("idle"), piece("four "), piece("five"));
  await eventually("all is reported", () => reported.length === 4);
  expect(reported).toEqual(["session.status", "one two three", "session.status", "four five"]);
});

test("a piece that arrives alone is reported at once", async () => {
  const { send, follow } = await openFolder();
  const reported = follow("ses_1");
  for (const text of ["one ", "two "]) {
    send(piece(text));
    await eventually("the piece is reported", () => reported.at(-1) === text);
  }
  expect(reported).toEqual(["one ", "two "]);
});

test("pieces of two sessions stay apart", async () => {
  const { send, follow } = await openFolder();
  const [first, second] = [follow("ses_1"), follow("ses_2")];
  send(piece("a"), piece("x", "ses_2"), piece("b"), piece("y", "ses_2"), status("idle", "ses_2"));
  await eventually("all is reported", () => second.length === 3);
  expect([first, second]).toEqual([
    ["a", "b"],
    ["x", "y", "session.status"],
  ]);
});

test("what can't be read is reported after the text before it", async () => {
  const { send, follow } = await openFolder();
  const reported = follow("ses_1");
  send(piece("one"), { type: "session.status", properties: {} });
  await eventually("all is reported", () => reported.length === 2);
  expect(reported[0]).toBe("one");
  expect(reported[1]).toContain("can't be read");
});
