// Which servers are started, shared, kept and ended, and what is reported when one does not start: a stand-in for the
// server does it on purpose.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { type ServerResponse } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { expectDefined } from "../../lib/expect.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { defineAgentTool } from "../agent-tool.ts";
import { createOpencodeClient } from "./opencode-client.ts";
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

const { root, work, host, script, standIn } = createOpencodeWorld();

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
  let isHolding = true;
  const dispose = (response: ServerResponse): unknown => (isHolding ? held.push(response) : answering(response));
  const { open, calls } = await standIn({ "POST /instance/dispose": dispose });
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
  isHolding = false;
  held.forEach(answering);
  await closing;
  await (await reopening).close();
  expect(calls.filter((call) => call === "POST /session").length).toBe(sessions + 2);
});

test("a folder that the server can't end takes the server along, and the next session finds another one", async () => {
  const { open, pids } = await standIn({
    "POST /instance/dispose": (response) => response.writeHead(500).end("{}"),
  });
  for (let i = 0; i < 5; i++) await (await open({ cwd: folderNamed(`stuck-${i}`) })).close();
  await (await open({ cwd: folderNamed("stuck-0") })).close();
  expect(pids()).toHaveLength(2);
});
