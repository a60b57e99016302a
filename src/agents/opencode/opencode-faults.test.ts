// What goes wrong between this program and a server: a stand-in for the server does it on purpose. The real one is
// under test in tests/agents/.

import { afterAll, afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { systemClock, type Clock } from "../../lib/clock.ts";
import { expectDefined } from "../../lib/expect.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { defineAgentTool } from "../agent-tool.ts";
import type { AgentEvent } from "../events.ts";
import type { AgentSession, OpenOptions } from "../port.ts";
import { createProcessRegistry } from "../process/process-registry.ts";
import { createOpencodeClient } from "./opencode-client.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-opencode-faults-")));
const work = join(root, "work");
mkdirSync(work);
mkdirSync(join(root, "tmp"));
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Json = Record<string, unknown>;

/** Plays a server: answers what every test needs, and sends the events a test asks for. */
async function standIn(
  routes: Record<string, (response: ServerResponse, body: string) => unknown> = {},
  clock: Clock = systemClock,
) {
  const streams = new Set<ServerResponse>();
  const calls: string[] = [];
  const state: { messages: unknown[]; permissions: unknown[]; status: Json } = {
    messages: [],
    permissions: [],
    status: {},
  };
  const unauthorised: string[] = [];
  const json = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value));
  const standard: typeof routes = {
    "GET /global/health": json({ healthy: true, version: "1.18.18" }),
    "POST /session": json({ id: "ses_1" }),
    "POST /session/ses_1/prompt_async": (response) => response.writeHead(204).end(),
    "POST /session/ses_1/abort": json(true),
    "GET /session/status": (response) => json(state.status)(response),
    "GET /session/ses_1/message": (response) => json(state.messages)(response),
    "GET /question": json([]),
    "GET /permission": (response) => json(state.permissions)(response),
    "POST /instance/dispose": json(true),
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${incoming.method} ${incoming.url?.split("?")[0]}`;
    if (!incoming.headers.authorization?.startsWith("Basic ")) unauthorised.push(route);
    calls.push(route);
    if (route === "GET /event") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"type":"server.connected","properties":{}}\n\n');
      streams.add(response);
      response.on("close", () => streams.delete(response));
      return;
    }
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    const answer = routes[route] ?? standard[route] ?? json(true);
    answer(response, body);
  };
  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const pidFile = join(root, `pid-${port}`);
  const program = script(
    `opencode-${port}`,
    `echo $$ >> '${pidFile}'; echo "opencode server listening on http://127.0.0.1:${port}"; exec tail -f /dev/null`,
  );
  const client = createOpencodeClient({ ...host(program, clock), retries: { attempts: 0 } });
  cleanUps.push(
    () => server.closeAllConnections(),
    () => server.close(),
    () => client.close(),
  );
  return {
    client,
    calls,
    state,
    unauthorised,
    open: (options: Partial<OpenOptions> = {}): Promise<AgentSession> => client.open({ cwd: work, ...options }),
    send(type: string, properties: Json) {
      for (const stream of streams) stream.write(`data: ${JSON.stringify({ type, properties })}\n\n`);
    },
    sendRaw(text: string) {
      for (const stream of streams) stream.write(text);
    },
    /** Of the servers that were started, in order. */
    pids: () => readFileSync(pidFile, "utf8").trim().split("\n").map(Number),
    drop() {
      for (const stream of streams) stream.destroy();
    },
  };
}

function host(program: string, clock: Clock = systemClock) {
  return {
    environment: { user: { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), TMPDIR: join(root, "tmp") } },
    programs: { opencode: program },
    registry: createProcessRegistry(join(root, "pids")),
    clock,
    newId: () => crypto.randomUUID(),
  };
}

function script(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

function read(session: AgentSession, options: Parameters<AgentSession["turn"]>[1] = {}) {
  const seen: AgentEvent[] = [];
  const done = (async () => {
    for await (const event of session.turn("do it", options)) seen.push(event);
    return seen.at(-1);
  })();
  return { seen, done };
}

const user = (id: string): Json => ({
  info: { role: "user", id, sessionID: "ses_1", model: { providerID: "p", modelID: "m" } },
});
const tokens = { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
const reply = (id: string, parentID: string, fields: Json = {}): { info: Json } => ({
  info: {
    role: "assistant",
    id,
    parentID,
    sessionID: "ses_1",
    providerID: "p",
    modelID: "m",
    time: {},
    tokens,
    ...fields,
  },
});
const done = { time: { completed: 1 }, finish: "stop" };
const part = (messageID: string, text: string): Json => ({
  part: { id: `prt_${messageID}`, messageID, sessionID: "ses_1", type: "text", text },
});
const idle: Json = { sessionID: "ses_1", status: { type: "idle" } };
const prompts = (calls: readonly string[]): number => calls.filter((call) => call.endsWith("prompt_async")).length;

test("a late idle of an earlier turn does not end the next one", async () => {
  const { open, send, calls, state } = await standIn();
  state.status = { ses_1: { type: "busy" } };
  const session = await open();
  const { seen, done: end } = read(session);
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  send("session.status", idle);
  send("message.updated", user("msg_1"));
  send("session.status", idle);
  await eventually("the state was looked at", () => calls.includes("GET /session/status"));
  send("message.updated", reply("msg_2", "msg_1"));
  send("message.part.updated", part("msg_2", "The answer."));
  send("message.updated", reply("msg_2", "msg_1", done));
  expect(seen.at(-1)?.type).not.toBe("turn.completed");
  send("session.status", idle);

  expect(await end).toMatchObject({ type: "turn.completed", text: "The answer." });
});

test("a prompt that OpenCode refuses without a word of rest fails the turn with its reason", async () => {
  const { open, send, calls } = await standIn();
  const { done: end } = read(await open());
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  const error = { name: "UnknownError", data: { message: "Model not found: p/none." } };
  send("session.error", { sessionID: "ses_1", error });

  expect(await end).toMatchObject({ type: "turn.failed", failure: { kind: "refused", retryable: false } });
});

test("a dropped connection is made again, and what was missed is reported", async () => {
  const { open, send, drop, calls, state } = await standIn();
  const session = await open();
  const { seen, done: end } = read(session);
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  send("message.updated", user("msg_1"));
  send("message.updated", reply("msg_2", "msg_1"));
  await eventually("the answer began", () => seen.some(({ type }) => type === "model.served"));
  state.status = {};
  state.permissions = [
    { id: "per_1", sessionID: "ses_1" },
    { id: "per_2", sessionID: "ses_other" },
  ];
  state.messages = [
    { ...user("msg_1"), parts: [] },
    { ...reply("msg_2", "msg_1", done), parts: [part("msg_2", "Said in the dark.")["part"]] },
  ];
  drop();
  await eventually("the permission was given", () => calls.includes("POST /permission/per_1/reply"));
  send("session.status", idle);

  expect(await end).toMatchObject({ type: "turn.completed", text: "Said in the dark." });
  expect(calls.filter((call) => call.includes("per_2"))).toEqual([]);
});

test("an abort that came before the prompt was taken up is sent again", async () => {
  const { open, send, calls } = await standIn();
  const stop = new AbortController();
  const { done: end } = read(await open(), { signal: stop.signal });
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  stop.abort();
  const aborts = (): number => calls.filter((call) => call.endsWith("/abort")).length;
  await eventually("the abort is sent", () => aborts() === 1);
  send("session.status", { sessionID: "ses_1", status: { type: "busy" } });
  await eventually("it is sent again", () => aborts() === 2);

  expect(await end).toMatchObject({ type: "turn.interrupted", isUnanswered: false });
});

test("an answer that OpenCode begins after an abort does not complete the turn", async () => {
  const { open, send, calls } = await standIn();
  const stop = new AbortController();
  const { done: end } = read(await open(), { signal: stop.signal });
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  send("message.updated", user("msg_1"));
  send("message.updated", reply("msg_2", "msg_1"));
  stop.abort();
  await eventually("the abort is sent", () => calls.some((call) => call.endsWith("/abort")));
  send("message.updated", reply("msg_2", "msg_1", { ...done, finish: "tool-calls" }));
  send("message.updated", reply("msg_3", "msg_1", done));
  send("session.status", idle);
  expect(await end).toMatchObject({ type: "turn.interrupted", isUnanswered: false });
});

test("an answer that was almost complete when the turn was stopped completes it", async () => {
  const { open, send, calls } = await standIn();
  const stop = new AbortController();
  const { seen, done: end } = read(await open(), { signal: stop.signal });
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  send("message.updated", user("msg_1"));
  send("message.updated", reply("msg_2", "msg_1"));
  send("message.part.updated", part("msg_2", "The answer."));
  await eventually("the answer has begun", () => seen.some(({ type }) => type === "text.delta"));
  stop.abort();
  send("message.updated", reply("msg_2", "msg_1", done));
  send("session.status", idle);
  expect(await end).toMatchObject({ type: "turn.completed" });
});

test("an unreadable event is a notice, and the turn continues", async () => {
  const { open, send, sendRaw, calls } = await standIn();
  const { seen, done: end } = read(await open());
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  sendRaw("data: {rubbish\n\n");
  send("message.updated", { info: { role: "robot" } });
  send("message.updated", user("msg_1"));
  send("message.updated", reply("msg_2", "msg_1"));
  send("message.part.updated", part("msg_2", "The answer."));
  send("message.updated", reply("msg_2", "msg_1", done));
  send("session.status", idle);

  expect(await end).toMatchObject({ type: "turn.completed" });
  expect(seen.filter(({ type }) => type === "notice.raised").length).toBe(2);
});

test.each([
  ["<html>Sorry</html>", 200, "invalid_output"],
  ['{"messages":[]}', 200, "invalid_output"],
  ['{"name":"NotFoundError"}', 404, "refused"],
] as const)("an idle session whose messages are %s (status %i) fails the turn as %s", async (body, status, kind) => {
  // The second that an answer gets to arrive after the session became idle is over at once.
  const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === 1000 ? 1 : ms, signal) };
  const messages = (response: ServerResponse): unknown => response.writeHead(status).end(body);
  const { open, send, calls } = await standIn({ "GET /session/ses_1/message": messages }, clock);
  const { seen, done: end } = read(await open());
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  send("session.status", idle);

  await end;
  expect(seen.at(-1)).toMatchObject({ type: "turn.failed", failure: { kind } });
  expect(JSON.stringify(seen.at(-1))).toContain(JSON.stringify(body).slice(1, -1));
});

test("a long wait for a limit to end fails the turn at once, and says when it ends", async () => {
  const { open, send, calls } = await standIn();
  const { seen, done: end } = read(await open());
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  const next = Date.now() + 3_600_000;
  const status = { type: "retry", attempt: 1, message: "Too Many Requests", next };
  send("session.status", { sessionID: "ses_1", status });

  expect(await end).toMatchObject({ type: "turn.failed", failure: { kind: "rate_limited", resetAt: next } });
  expect(seen.some(({ type }) => type === "retry.scheduled")).toBe(true);
  expect(calls).toContain("POST /session/ses_1/abort");
});

test("a server that does not stop a turn is ended, and the session continues on the next one", async () => {
  // Twenty times as fast.
  const clock: Clock = { now: () => Date.now() * 20, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };
  const { open, calls } = await standIn({ "POST /session/ses_1/abort": () => {} }, clock);
  const session = await open({ limits: { silenceMs: 4000 } });
  const { done: end } = read(session);
  expect(await end).toMatchObject({ type: "turn.failed", failure: { kind: "timeout" } });
  const next = read(session);
  await eventually("another server took the prompt", () => prompts(calls) === 2);
  expect(calls.filter((call) => call === "GET /global/health").length).toBe(2);
  await session.close();
  await next.done;
});

test("every call and the event stream carry the password", async () => {
  const { client, open, unauthorised, calls } = await standIn();
  await (await open()).close();
  await client.close();

  expect(calls).toContain("POST /instance/dispose");
  expect(unauthorised).toEqual([]);
});

test("a server whose answers can't be read is unavailable", async () => {
  const { open } = await standIn({ "POST /session": (response) => response.end("<html>") });

  await expect(open()).rejects.toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: expect.stringContaining("<html>"),
  });
});

test("a server that is too old is refused with what to do", async () => {
  const { open } = await standIn({ "GET /global/health": (response) => response.end('{"version":"1.2.3"}') });

  await expect(open()).rejects.toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: expect.stringMatching(/OpenCode 1\.2\.3, and at least 1\.18\.18 is needed/),
  });
});

for (const [name, text, said] of [
  ["dies", "echo it goes wrong >&2; exit 3", /exit code 3 and said: .*it goes wrong/],
  ["babbles", "echo rubbish; echo rubbish >&2; exit 0", /exit code 0 and said: .*rubbish/],
  ["babbles without end", "yes rubbish", /it says something else: .*rubbish/],
] as const)
  test(`a program that ${name} at its start is unavailable, with what it said`, async () => {
    const client = createOpencodeClient(host(script(`opencode ${name}`, text)));

    await expect(client.open({ cwd: work })).rejects.toMatchObject({
      code: "AGENT_UNAVAILABLE",
      message: expect.stringMatching(said),
    });
    // Asked for its version, one that never ends is only given up after twenty seconds.
    if (!name.endsWith("end")) expect(await client.check()).toMatchObject({ isUsable: false, login: "unknown" });
    await client.close();
  });

test("a program that says nothing at its start ends with its client", async () => {
  const pidFile = join(root, "pid-mute");
  const mute = script(
    "opencode-mute",
    `echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec tail -f /dev/null`,
  );
  const client = createOpencodeClient(host(mute));
  const opening = client.open({ cwd: work }).catch((error: unknown) => error);
  await eventually("it runs", () => existsSync(pidFile));
  await client.close();

  expect(isAlive(Number(readFileSync(pidFile, "utf8")))).toBe(false);
  expect(await opening).toMatchObject({ code: "AGENT_UNAVAILABLE" });
});

test("a program that is not there is unavailable, with how to get it", async () => {
  const client = createOpencodeClient({ ...host(""), programs: {}, packagesFrom: root });

  await expect(client.open({ cwd: work })).rejects.toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: expect.stringMatching(/npm install -g opencode-ai/),
  });
});

test("a server that is killed in a turn fails it, and says how it ended", async () => {
  const { open, calls, pids } = await standIn();
  const { done: end } = read(await open());
  await eventually("the prompt is sent", () => prompts(calls) === 1);
  process.kill(expectDefined(pids()[0], "a server"), "SIGKILL");

  expect(await end).toMatchObject({
    type: "turn.failed",
    failure: { kind: "crashed", retryable: true, message: expect.stringContaining("SIGKILL") },
  });
});

test("sessions that are opened at once share one server, also when the one before has died", async () => {
  const { open, pids } = await standIn();
  const [session] = await Promise.all(Array.from({ length: 5 }, () => open()));
  const { done: end } = read(expectDefined(session, "a session"));
  expect(pids().length).toBe(1);
  process.kill(expectDefined(pids()[0], "a server"), "SIGKILL");
  await end;
  await Promise.all(Array.from({ length: 5 }, () => open()));

  expect(pids().length).toBe(2);
});

test("two idle servers are kept", async () => {
  const { open, pids } = await standIn();
  const sessions = [];
  for (const name of ["a", "b", "c", "d"]) {
    const tool = defineAgentTool({ name, description: name, parameters: z.object({}), execute: () => "" });
    sessions.push(await open({ tools: [tool] }));
  }
  expect(pids().filter(isAlive).length).toBe(4);
  for (const session of sessions) await session.close();
  await eventually("two are ended", () => pids().filter(isAlive).length === 2);

  expect(pids().map(isAlive)).toEqual([false, false, true, true]);
});

function isAlive(pid: number): boolean {
  try {
    return !/^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "Z");
  } catch {
    return false;
  }
}

test("a session that is open twice is served in both places, also after one of them is closed", async () => {
  const { open, send, calls } = await standIn();
  const [first, second] = [await open(), await open()];
  for (const [index, session] of [second, first].entries()) {
    const { done: end } = read(session);
    await eventually("the prompt is sent", () => prompts(calls) === index + 1);
    send("message.updated", user(`msg_${index}`));
    send("message.updated", reply(`msg_${index}a`, `msg_${index}`));
    send("message.part.updated", part(`msg_${index}a`, "The answer."));
    send("message.updated", reply(`msg_${index}a`, `msg_${index}`, done));
    send("session.status", idle);
    expect(await end).toMatchObject({ type: "turn.completed" });
    if (index === 0) await second.close();
  }
});

const answering = (response: ServerResponse): unknown => response.end("true");
const folderNamed = (name: string): string => {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  return folder;
};
const disposals = (calls: readonly string[]): number =>
  calls.filter((call) => call === "POST /instance/dispose").length;

test("sessions one after the other in a folder find it as it was; of many folders the oldest is given up", async () => {
  const { open, calls } = await standIn();
  for (let i = 0; i < 3; i++) await (await open()).close();
  expect(disposals(calls)).toBe(0);
  for (let i = 0; i < 5; i++) await (await open({ cwd: folderNamed(`folder-${i}`) })).close();
  expect(disposals(calls)).toBe(2);
});

test("a session that is opened while its folder is being ended waits for that", async () => {
  const held: ServerResponse[] = [];
  const { open, calls } = await standIn({ "POST /instance/dispose": (response) => held.push(response) });
  const cwd = folderNamed("first");
  await (await open({ cwd })).close();
  for (let i = 0; i < 3; i++) await (await open({ cwd: folderNamed(`next-${i}`) })).close();
  const closing = (await open({ cwd: folderNamed("last") })).close();
  await eventually("the first folder is being ended", () => disposals(calls) === 1);

  const sessions = calls.filter((call) => call === "POST /session").length;
  const reopening = open({ cwd });
  // Another folder is not held up by it.
  await (await open({ cwd: folderNamed("last") })).close();
  expect(calls.filter((call) => call === "POST /session").length).toBe(sessions + 1);
  held.forEach(answering);
  await closing;
  await (await reopening).close();
  expect(calls.filter((call) => call === "POST /session").length).toBe(sessions + 2);
  held.forEach(answering);
});

test("a folder that the server can't end takes the server along, and the next session finds another one", async () => {
  const { open, pids } = await standIn({
    "POST /instance/dispose": (response) => response.writeHead(500).end("{}"),
  });
  for (let i = 0; i < 5; i++) await (await open({ cwd: folderNamed(`stuck-${i}`) })).close();
  await (await open({ cwd: folderNamed("stuck-0") })).close();
  expect(pids()).toHaveLength(2);
});
