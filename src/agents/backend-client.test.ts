import { expect, test } from "bun:test";
import { z } from "zod";
import { createFakeClock } from "../testing/fake-clock.ts";
import { defineAgentTool } from "./agent-tool.ts";
import { createBackendClient, type Backend } from "./backend-client.ts";
import { capabilitiesWithout } from "./capabilities.ts";
import type { BackendSession } from "./backend-session.ts";

function backendSession(calls: string[]): BackendSession {
  return {
    id: "s",
    model: undefined,
    isSameModel: () => true,
    start: (_, sink) => sink.complete(),
    interrupt: () => {},
    abandon: () => {},
    compact: async () => ({}),
    contextUsage: async () => ({ usedTokens: 0 }),
    close: async () => void calls.push("close session"),
  };
}

function setUp(parts: Partial<Backend> = {}) {
  const calls: string[] = [];
  const clock = createFakeClock();
  const backend: Backend = {
    kind: "probe",
    label: "probe",
    capabilities: capabilitiesWithout({}),
    openSession: async () => backendSession(calls),
    models: async () => [],
    check: async () => ({ kind: "probe", isUsable: true, login: "unknown", notes: [] }),
    shutDown: async () => void calls.push("shut down"),
    ...parts,
  };
  return { calls, clock, client: createBackendClient(backend, { clock, newId: () => "id" }) };
}

test("a program that does not open a session in time is unavailable, and closed when it comes after all", async () => {
  const calls: string[] = [];
  let arrive: (late: BackendSession) => void = () => {};
  const { client, clock } = setUp({ openSession: () => new Promise((resolve) => (arrive = resolve)) });
  const opening = client.open({ cwd: "/", limits: { openMs: 50 } });
  const refused = opening.catch((error: unknown) => error);
  await clock.advance(50);
  expect(await refused).toMatchObject({ code: "AGENT_UNAVAILABLE", retryable: true });

  arrive(backendSession(calls));
  await clock.advance(0);
  expect(calls).toEqual(["close session"]);
});

test("closing a client closes its sessions, then what they share, and refuses new ones", async () => {
  const { client, calls } = setUp();
  await client.open({ cwd: "/" });
  await (await client.open({ cwd: "/" })).close();
  await Promise.all([client.close(), client.close()]);

  expect(calls).toEqual(["close session", "close session", "shut down"]);
  await expect(client.open({ cwd: "/" })).rejects.toMatchObject({ code: "AGENT_SESSION_CLOSED" });
});

test("nothing that is asked of a session is silently ignored", async () => {
  const missing = {
    modelChoice: "no",
    resume: "no",
    systemPrompt: "no",
    subagentDefinitions: "no",
    inProcessTools: "no",
    models: "no",
  };
  const { client } = setUp({ capabilities: capabilitiesWithout(missing) });
  const tool = defineAgentTool({ name: "t", description: "t", parameters: z.object({}), execute: () => "" });
  const agent = { name: "a", prompt: "Be kind." };

  for (const options of [{ model: "m" }, { resume: "r" }, { agent }, { subagents: [agent] }, { tools: [tool] }]) {
    await expect(client.open({ cwd: "/", ...options })).rejects.toMatchObject({ code: "AGENT_CAPABILITY" });
  }
  await expect(client.models()).rejects.toMatchObject({ code: "AGENT_CAPABILITY" });
  await expect(client.open({ cwd: "relative" })).rejects.toThrow("absolute");
});

test("a list of models that never comes is a timeout", async () => {
  const { client, clock } = setUp({ models: () => new Promise(() => {}) });
  const refused = client.models().catch((error: unknown) => error);
  await clock.advance(30_000);
  expect(await refused).toMatchObject({ code: "AGENT_TURN_FAILED", details: { kind: "timeout" } });
});

test("defineAgentTool checks its input, reports failures to the model, and never throws", async () => {
  const tool = defineAgentTool({
    name: "half",
    description: "halves",
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => {
      if (n === 0) throw new Error("zero");
      return { half: n / 2 };
    },
  });
  const { signal } = new AbortController();

  expect(tool.inputSchema).toMatchObject({ type: "object", properties: { n: { type: "number" } }, required: ["n"] });
  expect(await tool.call({ n: 4 }, signal)).toEqual({ text: '{"half":2}', isError: false });
  expect(await tool.call({ n: "4" }, signal)).toMatchObject({
    isError: true,
    text: expect.stringContaining("Invalid input for half"),
  });
  expect(await tool.call({ n: 0 }, signal)).toEqual({ text: "half failed: zero", isError: true });
});
