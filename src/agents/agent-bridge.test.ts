import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentBridge } from "./agent-bridge.ts";
import { isTerminal, type AgentEvent } from "./events.ts";
import type { AgentClient } from "./port.ts";
import { createProcessRegistry } from "./process/process-registry.ts";
import { parseScript } from "./scripted/script-schema.ts";
import { createScriptedClient } from "./scripted/scripted-client.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-bridge-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const definition = (name: string) => ({ name, prompt: "" });

function scripted(turns: readonly unknown[]): AgentClient {
  return createScriptedClient({
    script: parseScript({ version: 1, turns }, "test"),
    source: "test",
    env: {},
    registry: createProcessRegistry(join(root, "pids")),
  });
}

function bridgeOver(client: AgentClient, concurrency?: number) {
  let ids = 0;
  return createAgentBridge({ client, newId: () => `a${++ids}`, concurrency });
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Counts the sessions that are open at once. */
function counting(client: AgentClient): { client: AgentClient; most: () => number; open: () => number } {
  let [open, most] = [0, 0];
  return {
    most: () => most,
    open: () => open,
    client: {
      ...client,
      async open(options) {
        most = Math.max(most, ++open);
        const session = await client.open(options);
        return {
          ...session,
          close: async () => {
            await session.close();
            open--;
          },
        };
      },
    },
  };
}

test("spawn reports a sub-agent around its turn, with its own sub-agents below it", async () => {
  const client = scripted([
    { agent: "worker", steps: [{ say: "working" }, { subagent: { agent: "helper", prompt: "help" } }] },
    { agent: "helper", steps: [{ say: "helped" }] },
  ]);
  const noted: string[] = [];
  const events = await collect(
    bridgeOver(client).spawn({
      open: { cwd: root, agent: definition("worker") },
      prompt: "work",
      onOpen: (id) => void noted.push(id),
    }),
  );

  expect(events[0]).toMatchObject({
    type: "subagent.started",
    agentId: "a1",
    name: "worker",
    task: "work",
    sessionId: noted[0] as string,
  });
  const child = events.find((event) => event.type === "subagent.started" && event.name === "helper");
  expect(child).toMatchObject({ parentId: "a1" });
  expect(events.at(-2)).toMatchObject({
    type: "subagent.finished",
    agentId: "a1",
    outcome: "completed",
    text: "working",
  });
  expect(events.at(-1)).toMatchObject({ type: "turn.completed", agentId: "a1" });
  expect(events.every((event) => event.agentId !== undefined)).toBe(true);
});

test("spawnParallel runs at most so many at once and ends with one terminal event for each, in order", async () => {
  const { client, most, open } = counting(scripted([{ steps: [{ waitMs: 5 }, { say: "x" }] }]));
  const list = Array.from({ length: 7 }, (_, index) => ({
    open: { cwd: root, agent: definition(`w${index}`) },
    prompt: `p${index}`,
  }));
  const events = await collect(bridgeOver(client, 3).spawnParallel(list));

  expect(most()).toBe(3);
  expect(open()).toBe(0);
  expect(events.filter(isTerminal).map(({ agentId }) => agentId)).toEqual(["a1", "a2", "a3", "a4", "a5", "a6", "a7"]);
});

test("one that fails, or can't even start, does not disturb the others", async () => {
  const inner = scripted([
    { agent: "bad", steps: [{ fail: { kind: "auth" } }] },
    { agent: "good", steps: [{ say: "fine" }] },
  ]);
  const client: AgentClient = {
    ...inner,
    open: (options) =>
      options.agent?.name === "gone" ? Promise.reject(new Error("no such program")) : inner.open(options),
  };
  const list = ["bad", "gone", "good"].map((name) => ({ open: { cwd: root, agent: definition(name) }, prompt: "go" }));
  const ends = (await collect(bridgeOver(client).spawnParallel(list))).filter(isTerminal);

  expect(ends).toMatchObject([
    { type: "turn.failed", failure: { kind: "auth" } },
    { type: "turn.failed", failure: { message: "no such program" } },
    { type: "turn.completed", text: "fine" },
  ]);
});

test("aborting interrupts those that run and those that wait", async () => {
  const stop = new AbortController();
  const client = scripted([{ steps: [{ say: "x" }, { hang: true }] }]);
  const list = Array.from({ length: 3 }, () => ({ open: { cwd: root }, prompt: "go" }));
  const ends: string[] = [];
  for await (const event of bridgeOver(client, 1).spawnParallel(list, stop.signal)) {
    if (event.type === "text.delta") stop.abort();
    if (isTerminal(event)) ends.push(event.type);
  }

  expect(ends).toEqual(["turn.interrupted", "turn.interrupted", "turn.interrupted"]);
});

test("leaving the loop early ends all of them", async () => {
  const { client, open } = counting(scripted([{ steps: [{ say: "x" }, { hang: true }] }]));
  const list = Array.from({ length: 3 }, () => ({ open: { cwd: root }, prompt: "go" }));
  for await (const event of bridgeOver(client, 2).spawnParallel(list)) if (event.type === "text.delta") break;

  expect(open()).toBe(0);
});
