import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { systemClock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { defineAgentTool } from "../agent-tool.ts";
import type { AgentEvent, TerminalEvent } from "../events.ts";
import type { AgentClient, AgentSession, OpenOptions } from "../port.ts";
import { answer, type AgentQuestion, type QuestionHandler } from "../questions.ts";
import { createAcpClient } from "./acp-client.ts";
import { writeFakeAgent, type FakeAgent } from "../../../tests/support/fake-acp-agent.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-acp-")));
const pids = join(root, "pids");
const clients: AgentClient[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  rmSync(root, { recursive: true, force: true });
});

function clientOf(command: string): AgentClient {
  const client = createAcpClient(command, {
    environment: { user: { PATH: process.env["PATH"], HOME: root } },
    processesDir: pids,
  });
  clients.push(client);
  return client;
}

const fake = (agent: FakeAgent): AgentClient => clientOf(writeFakeAgent(root, agent));

const open = (client: AgentClient, options: Partial<OpenOptions> = {}): Promise<AgentSession> =>
  client.open({ cwd: root, isProjectTrusted: true, ...options });

async function turn(session: AgentSession, prompt = "go", onEvent: (event: AgentEvent) => unknown = () => {}) {
  const events: AgentEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    onEvent(event);
  }
  return { events, end: events.at(-1) as TerminalEvent };
}

async function refusalOf(work: Promise<unknown>): Promise<AtomicError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!AtomicError.is(thrown)) throw new Error(`nothing was refused: ${String(thrown)}`);
  return thrown;
}

const speaks = (text: string): string =>
  `say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: ${JSON.stringify(text)} } })`;
const ends = 'answer({ stopReason: "end_turn" })';

test("an agent that knows only the least of the protocol runs turns, and its capabilities say what is missing", async () => {
  const client = fake({
    on: {
      "session/prompt": `${speaks("First, ")}; ${speaks("a file.")};
        say({ sessionUpdate: "tool_call", toolCallId: "c", title: "Write it", kind: "edit", status: "in_progress" });
        say({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed", content: [{ type: "content", content: { type: "text", text: "written" } }] });
        ${speaks("All ")}; ${speaks("done.")}; ${ends}`,
    },
  });
  const session = await open(client);
  const { events, end } = await turn(session);

  expect(end).toMatchObject({ type: "turn.completed", text: "All done.", sessionId: "fake-session" });
  expect(events.map(({ type }) => type)).toEqual([
    "turn.started",
    "text.delta",
    "text.delta",
    "message.finished",
    "tool.started",
    "tool.finished",
    "text.delta",
    "text.delta",
    "message.finished",
    "turn.completed",
  ]);
  expect(events[5]).toMatchObject({ name: "Write it", outcome: "ok", output: "written" });
  const missing = ["usage", "cost", "contextUsage", "models", "modelChoice", "resume", "inProcessTools", "subagents"];
  for (const name of [...missing, "compact", "modelServed", "subagentDefinitions", "projectTrust"] as const)
    expect(client.capabilities[name as keyof typeof client.capabilities]).toBeString();
  await session.close();
});

test("what the agent can't do is refused by what it said at its start", async () => {
  const tool = defineAgentTool({ name: "x", description: "x", parameters: z.object({}), execute: () => "" });
  for (const options of [{ resume: "earlier" }, { model: "any" }, { tools: [tool] }]) {
    const refusal = await refusalOf(open(fake({}), options));
    expect(refusal.code).toBe("AGENT_CAPABILITY");
  }
  const session = await open(fake({}));
  expect((await refusalOf(session.compact())).code).toBe("AGENT_CAPABILITY");
  await session.close();
});

test("a command that an agent offered is there also after a session that could not be opened", async () => {
  const client = fake({
    on: {
      initialize: "answer({ protocolVersion: 1, agentCapabilities: { loadSession: true } })",
      "session/prompt": `say({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "compact" }] }); ${ends}`,
      "session/load": 'fail(-32002, "Resource not found")',
    },
  });
  await turn(await open(client));
  expect(client.capabilities.compact).toBe(true);
  expect((await refusalOf(open(client, { resume: "never-was" }))).code).toBe("AGENT_SESSION_UNKNOWN");
  expect(client.capabilities.compact).toBe(true);
});

test("no ACP agent is started in a project that is not trusted", async () => {
  const refusal = await refusalOf(open(fake({ atStart: "throw new Error('it ran')" }), { isProjectTrusted: false }));
  expect(refusal.code).toBe("AGENT_NEEDS_TRUST");
});

test("an update that comes with the answer in one piece is read before it", async () => {
  const late = JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId: "fake-session",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "the last word" } },
    },
  });
  const client = fake({
    on: {
      "session/prompt": `raw(${JSON.stringify(late)} + "\\n" + JSON.stringify({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } }) + "\\n")`,
    },
  });
  expect((await turn(await open(client))).end.text).toBe("the last word");
});

test("instructions go along with the first prompt where the agent has no other way to take them", async () => {
  const client = fake({
    on: {
      "session/prompt": `say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: params.prompt[0].text } }); ${ends}`,
    },
  });
  const session = await open(client, { agent: { name: "worker", prompt: "Be brief." } });
  expect((await turn(session, "one")).end.text).toBe("Be brief.\n\none");
  expect((await turn(session, "two")).end.text).toBe("two");
});

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
  ["/nowhere/agent", /no program there/],
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

test("a permission is granted once, and never denied", async () => {
  const client = fake({
    on: {
      "session/prompt": `
        const options = [{ optionId: "no", kind: "reject_once" }, { optionId: "ever", kind: "allow_always" }, { optionId: "once", kind: "allow_once" }];
        const ask2 = async (list) => JSON.stringify((await ask("session/request_permission", { sessionId: "fake-session", options: list })).outcome);
        const text = await ask2(options) + await ask2(options.slice(0, 2)) + await ask2(options.slice(0, 1));
        say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }); ${ends}`,
    },
  });
  expect((await turn(await open(client))).end.text).toBe(
    '{"outcome":"selected","optionId":"once"}{"outcome":"selected","optionId":"ever"}{"outcome":"cancelled"}',
  );
});

test("a form is put to the user as a question, and the answers go back as its fields", async () => {
  const client = fake({
    on: {
      "session/prompt": `
        const reply = await ask("elicitation/create", { sessionId: "fake-session", mode: "form", message: "Some things", requestedSchema: { type: "object", properties: {
          colour: { type: "string", title: "Colour", description: "Which colour?", enum: ["red", "blue"] },
          parts: { type: "array", description: "Which parts?", items: { anyOf: [{ const: "a", title: "Part A" }, { const: "b", title: "Part B" }] } },
          sure: { type: "boolean", description: "Are you sure?" },
          count: { type: "integer", description: "How many?" } } } });
        say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: JSON.stringify(reply) } }); ${ends}`,
    },
  });
  const onQuestion: QuestionHandler = (question) => {
    expect(question.items.map(({ text, isMultiple, isFreeText }) => [text, isMultiple, isFreeText])).toEqual([
      ["Which colour?", false, false],
      ["Which parts?", true, false],
      ["Are you sure?", false, false],
      ["How many?", false, true],
    ]);
    return { type: "answered", answers: [["blue"], ["Part A", "Part B"], ["yes"], ["12"]] };
  };
  const { end } = await turn(await open(client, { onQuestion }));
  expect(JSON.parse(end.text)).toEqual({
    action: "accept",
    content: { colour: "blue", parts: ["a", "b"], sure: true, count: 12 },
  });
});

test("a page to visit is not a question, and is cancelled", async () => {
  const client = fake({
    on: {
      "session/prompt": `const reply = await ask("elicitation/create", { mode: "url", url: "http://127.0.0.1:9", message: "Visit" });
        say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: reply.action } }); ${ends}`,
    },
  });
  const onQuestion: QuestionHandler = (question) => answer(question, "x");
  expect((await turn(await open(client, { onQuestion }))).end.text).toBe("cancel");
});

test("models of older agents are listed and chosen too", async () => {
  const client = fake({
    on: {
      "session/new":
        'answer({ sessionId: "fake-session", models: { currentModelId: "small", availableModels: [{ modelId: "small", name: "Small" }, { modelId: "large", name: "Large" }] } })',
      "session/set_model": "memory.model = params.modelId; answer({})",
      "session/prompt": `say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: String(memory.model) } }); ${ends}`,
    },
  });
  const session = await open(client, { model: "large" });
  expect((await turn(session)).end.text).toBe("large");
  expect(await client.models()).toEqual([
    { id: "small", name: "Small" },
    { id: "large", name: "Large" },
  ]);
});

test("a plan of the agent is shown as its own list", async () => {
  const client = fake({
    on: {
      "session/prompt":
        'say({ sessionUpdate: "plan", entries: [{ content: "dig", status: "in_progress", priority: "high" }] }); answer({ stopReason: "end_turn" })',
    },
  });
  const { events, end } = await turn(await open(client));
  expect(events[1]).toMatchObject({ type: "tool.started", kind: "todo", input: { entries: [{ content: "dig" }] } });
  expect(end.type).toBe("turn.completed");
});

test.each([
  ["refusal", "refused"],
  ["max_turn_requests", "refused"],
  ["max_tokens", "invalid_output"],
  ["end_turn", "invalid_output"],
])("a turn without a word that ends with %s fails as %s", async (stopReason, kind) => {
  const client = fake({ on: { "session/prompt": `answer({ stopReason: ${JSON.stringify(stopReason)} })` } });
  expect((await turn(await open(client))).end).toMatchObject({ type: "turn.failed", failure: { kind } });
});

test("a sub-agent that is used again is another one to the reader", async () => {
  const child = (state: object): string =>
    `say({ sessionUpdate: "subagent_update", sessionId: "kid", title: "helper", description: "help", state: ${JSON.stringify(state)} })`;
  const work = `${child({ state: "running" })}; say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "done it" } }, "kid"); ${child({ state: "idle", stopReason: "end_turn" })}`;
  const client = fake({ on: { "session/prompt": `${work}; ${work}; ${speaks("mine")}; ${ends}` } });
  const { events, end } = await turn(await open(client));
  const started = events.filter((event) => event.type === "subagent.started");
  expect(new Set(started.map(({ agentId }) => agentId)).size).toBe(2);
  expect(events.filter((event) => event.type === "subagent.finished").map(({ text }) => text)).toEqual([
    "done it",
    "done it",
  ]);
  expect(end.text).toBe("mine");
  expect(client.capabilities.subagents).toBe(true);
});

test("nothing is on record when all clients are closed", async () => {
  await Promise.all(clients.map((client) => client.close()));
  expect(readdirSync(pids)).toEqual([]);
});
