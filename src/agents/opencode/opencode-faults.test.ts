// What goes wrong between this program and a server: a stand-in for the server does it on purpose. The real one is
// under test in tests/agents/.

import { expect, test } from "bun:test";
import { type ServerResponse } from "node:http";
import { systemClock, type Clock } from "../../lib/clock.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import {
  createOpencodeWorld,
  done,
  idle,
  part,
  prompts,
  read,
  reply,
  user,
} from "../../../tests/support/opencode-stand-in.ts";

const { standIn } = createOpencodeWorld();

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
