// Agents that break the protocol, die, hang or do not stop.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import type { AgentEvent } from "../events.ts";
import { answer, type AgentQuestion } from "../questions.ts";
import { type FakeAgent } from "../../../tests/support/fake-acp-agent.ts";
import { createAcpWorld, ends, refusalOf, speaks, turn } from "../../../tests/support/acp-world.ts";

const { root, pids, clients, clientOf, fake, open } = createAcpWorld();

test("lines that are not messages are ignored, and split characters are put together", async () => {
  const client = fake({
    atStart: 'raw("Welcome to the agent!\\n\\n{not json\\n[1,2]\\n42\\n")',
    on: {
      "session/prompt": `raw("a warning\\n"); const line = Buffer.from(JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "fake-session", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Grüße 🦊" } } } }) + "\\n");
        for (const byte of line) { process.stdout.write(Buffer.from([byte])); await new Promise((r) => setImmediate(r)); } ${ends}`,
    },
  });
  expect((await turn(await open(client))).end).toMatchObject({ type: "turn.completed", text: "Grüße 🦊" });
});

test.each([
  ["dies at its start", { atStart: 'console.error("no licence found"); process.exit(7)' }, /exit code 7.*no licence/s],
  [
    "prints nothing but rubbish",
    { atStart: 'setInterval(() => raw("lorem ipsum\\n".repeat(50)), 1)', on: { initialize: "" } },
    /lorem ipsum/,
  ],
  ["speaks another version", { on: { initialize: "answer({ protocolVersion: 9 })" } }, /version 9/],
  ["refuses to talk", { on: { initialize: 'fail(-32603, "not today")' } }, /not today/],
  [
    "wants a login",
    {
      on: {
        initialize: 'answer({ protocolVersion: 1, authMethods: [{ id: "k", name: "Use a key" }] })',
        "session/new": 'fail(-32000, "Authentication required")',
      },
    },
    /login.*Use a key/s,
  ],
  [
    "dies while it opens a session",
    { on: { "session/new": 'console.error("out of luck"); process.exit(4)' } },
    /code 4.*luck/s,
  ],
  ["opens no session", { on: { "session/new": 'fail(-32603, "the disk is full")' } }, /disk is full/],
] satisfies readonly (readonly [string, FakeAgent, RegExp])[])(
  "an agent that %s is unavailable, with what it said",
  async (_, agent, said) => {
    const refusal = await refusalOf(open(fake(agent)));
    expect(refusal.code).toBe("AGENT_UNAVAILABLE");
    expect(refusal.message).toMatch(said);
  },
);

test.each([
  ["", /names no program/],
  ["./agent --acp", /current folder/],
  ["/nowhere/agent", /is not a program/],
  ["no-such-agent-anywhere", /not found/],
  ["'unclosed", /quote/],
])("the command %p is refused", async (command, said) => {
  const client = clientOf(command);
  expect((await refusalOf(open(client))).message).toMatch(said);
  expect(await client.check()).toMatchObject({ isUsable: false });
});

test("an agent that dies in a turn is a crash, and without a way to continue the next turn says so", async () => {
  const client = fake({
    on: {
      "session/prompt": `${speaks("half an answ")}; setTimeout(() => { console.error("boom"); process.exit(3) }, 20)`,
    },
  });
  const session = await open(client);
  const { end } = await turn(session);
  expect(end).toMatchObject({ type: "turn.failed", text: "half an answ", failure: { kind: "crashed", exitCode: 3 } });
  expect(end.type === "turn.failed" && end.failure.message).toMatch(/boom/);
  expect((await turn(session)).end).toMatchObject({ type: "turn.failed", failure: { kind: "refused" } });
});

test("an agent that dies in a turn and can resume sessions continues in another process", async () => {
  const client = fake({
    on: {
      initialize: "answer({ protocolVersion: 1, agentCapabilities: { loadSession: true } })",
      "session/load":
        'memory.loaded = params.sessionId; say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "history" } }); answer({})',
      "session/prompt": `if (params.prompt[0].text === "die") process.exit(1); say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "loaded " + memory.loaded } }); ${ends}`,
    },
  });
  const session = await open(client);
  expect((await turn(session, "die")).end).toMatchObject({ failure: { kind: "crashed" } });
  expect((await turn(session, "live")).end).toMatchObject({ type: "turn.completed", text: "loaded fake-session" });
});

test("an agent that turns to nonsense in a turn fails it and is ended", async () => {
  const client = fake({ on: { "session/prompt": 'setInterval(() => raw("blah blah\\n".repeat(50)), 1)' } });
  const { end } = await turn(await open(client));
  expect(end).toMatchObject({ type: "turn.failed", failure: { kind: "invalid_output" } });
});

test.each(["initialize", "session/new"])("an agent that never answers %s ends with its client", async (method) => {
  const pidFile = join(root, `pid-${method.replace("/", "-")}`);
  const note = `(await import("node:fs")).writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))`;
  const client = fake({ on: { [method]: note } });
  const refusal = refusalOf(open(client));
  const pid = (): number => Number(existsSync(pidFile) && readFileSync(pidFile, "utf8"));
  while (pid() === 0) await systemClock.sleep(10);
  await client.close();
  expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
  expect((await refusal).code).toBe("AGENT_UNAVAILABLE");
});

test("invalid UTF-8 in a message is read as replacement characters", async () => {
  const client = fake({
    on: {
      "session/prompt": `const [head, tail] = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "fake-session", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "before|after" } } } }).split("|");
        raw(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(tail + "\\n")])); ${ends}`,
    },
  });
  expect((await turn(await open(client))).end).toMatchObject({
    type: "turn.completed",
    text: "before\ufffd\ufffd(after",
  });
});

test("a message of 100 MB is dropped, and the turn continues", async () => {
  const tool = '{ sessionUpdate: "tool_call", toolCallId: "t", title: "cat", kind: "execute", status: "in_progress" }';
  const done =
    '{ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", rawOutput: "x".repeat(1e8) }';
  const client = fake({ on: { "session/prompt": `say(${tool}); say(${done}); ${speaks("Done.")}; ${ends}` } });
  const { events, end } = await turn(await open(client));
  expect(end).toMatchObject({ type: "turn.completed", text: "Done." });
  expect(JSON.stringify(events).length).toBeLessThan(100_000);
});

test("an answer to a question of an agent that has died finds it gone", async () => {
  const form = {
    mode: "form",
    sessionId: "fake-session",
    message: "Which?",
    requestedSchema: { type: "object", properties: { colour: { type: "string", enum: ["red", "blue"] } } },
  };
  const dies = `ask("elicitation/create", ${JSON.stringify(form)}); process.stdout.write("\\n", () => process.exit(3))`;
  const session = await open(fake({ on: { "session/prompt": dies } }));
  const asked: AgentQuestion[] = [];
  const { end } = await turn(session, "go", (event) => event.type === "question.asked" && asked.push(event.question));
  expect(end).toMatchObject({ type: "turn.failed", failure: { kind: "crashed", exitCode: 3 } });
  const [question] = asked;
  if (question === undefined) throw new Error("nothing was asked");
  const late = async (): Promise<void> => session.answer(question.id, answer(question, "blue"));
  expect((await refusalOf(late())).code).toBe("QUESTION_UNKNOWN");
});

test("an agent that does not stop on request is killed, with its child processes", async () => {
  const client = fake({ on: { "session/prompt": speaks("never ending") } });
  const session = await open(client, { limits: { interruptMs: 100 } });
  const stop = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of session.turn("go", { signal: stop.signal })) {
    events.push(event);
    if (event.type === "text.delta") stop.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: "turn.interrupted", isUnanswered: true });
  await session.close();
});

test("an agent that stops on request keeps its session", async () => {
  const client = fake({
    on: {
      "session/prompt": `if (params.prompt[0].text === "go") { memory.answer = answer; ${speaks("working")} } else { ${speaks("still here")}; ${ends} }`,
      "session/cancel": 'memory.answer({ stopReason: "cancelled" })',
    },
  });
  const session = await open(client);
  const stop = new AbortController();
  for await (const event of session.turn("go", { signal: stop.signal })) if (event.type === "text.delta") stop.abort();
  expect((await turn(session, "again")).end.text).toBe("still here");
});

test("nothing is on record when all clients are closed", async () => {
  await Promise.all(clients.map((client) => client.close()));
  expect(readdirSync(pids)).toEqual([]);
});
