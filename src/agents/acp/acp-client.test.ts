import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { z } from "zod";
import { defineAgentTool } from "../agent-tool.ts";
import { answer, type QuestionHandler } from "../questions.ts";
import { createAcpWorld, ends, refusalOf, speaks, turn } from "../../../tests/support/acp-world.ts";

const { pids, clients, fake, open } = createAcpWorld();

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
