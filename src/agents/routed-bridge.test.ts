// Who takes a turn when a run has several agents, with clients that play scripts and a clock that stands still.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import type { ReportedEvent } from "../events/reported-events.ts";
import type { Json } from "../lib/json.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";
import type { AgentCallContext } from "../workflows/graph/model/bridge.ts";
import { Outages } from "./outages.ts";
import type { AgentClient } from "./port.ts";
import { createRoutedBridge } from "./routed-bridge.ts";
import { sessionNote } from "./session-notes.ts";
import type { ScriptInput } from "./scripted/script-schema.ts";
import { createWorkflowBridge } from "./workflow-bridge.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-routed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const minute = 60_000;

type Turns = ScriptInput["turns"];
const says = (text: string): Turns => [{ steps: [{ say: text }] }];
const fails = (kind: "rate_limited" | "overloaded" | "auth" | "budget" | "crashed", resetInMs?: number): Turns => [
  { times: 1, steps: [{ fail: { kind, message: kind, ...(resetInMs !== undefined && { resetInMs }) } }] },
  { steps: [{ say: "back again" }] },
];

function setUp(scripts: Readonly<Record<string, Turns>>, known?: Outages) {
  const clock = createFakeClock();
  const clients = Object.entries(scripts).map(([kind, turns]): AgentClient => ({
    ...scriptedAgent(turns, { clock }),
    kind,
    label: kind,
  }));
  const bridge = createRoutedBridge({
    preferred: async () => clients,
    clientOf: async (type) => {
      const found = clients.find(({ kind }) => kind === type);
      if (found === undefined) throw new AtomicError("RUNTIME_MISSING", `no ${type}`);
      return found;
    },
    connect: (client) =>
      createWorkflowBridge({ client, cwd: root, agent: (name) => ({ name, prompt: `You are ${name}.` }), clock }),
    clock,
    outages: known,
  });
  const recorded: ReportedEvent[] = [];
  const context = (previousNotes: readonly Json[] = []): AgentCallContext => ({
    node: "work",
    key: "work#1",
    signal: new AbortController().signal,
    attempt: { number: 1, previousNotes, note: async () => undefined },
    record: (event) => void recorded.push(event),
    progress: () => undefined,
    sleepUntil: async () => undefined,
    flush: async () => undefined,
    ask: async () => null,
  });
  const turnsOf = () => recorded.flatMap((event) => (event.type === "agent.turn-started" ? [event.backend] : []));
  const switches = () => recorded.filter((event) => event.type === "agent.switched");
  return { bridge, clock, context, recorded, turnsOf, switches };
}

test("a rate limit moves turns to the next agent, and back after the reset", async () => {
  const { bridge, clock, context, recorded, turnsOf, switches } = setUp({
    claude: fails("rate_limited", 10 * minute),
    opencode: says("opencode did"),
  });
  const until = clock.now() + 10 * minute;
  const ask = async () => (await bridge.spawn({ task: "work", context: context() })).output;

  expect(await ask()).toBe("opencode did");
  expect(switches()).toEqual([
    {
      type: "agent.switched",
      from: "claude",
      to: "opencode",
      kind: "rate_limited",
      message: "rate_limited",
      until,
      task: null,
    },
  ]);
  await clock.advance(10 * minute - 1);
  expect(await ask()).toBe("opencode did");
  await clock.advance(1);
  expect(await ask()).toBe("back again");
  expect(turnsOf()).toEqual(["claude", "opencode", "opencode", "claude"]);
  expect(recorded.filter(({ type }) => type === "agent.returned")).toEqual([
    { type: "agent.returned", agent: "claude" },
  ]);
});

for (const kind of ["auth", "budget"] as const) {
  test(`${kind} moves turns to the next agent for the rest of the process`, async () => {
    const { bridge, clock, context, turnsOf, switches } = setUp({ claude: fails(kind), copilot: says("copilot did") });
    await bridge.spawn({ task: "work", context: context() });
    await clock.advance(1000 * minute);
    expect((await bridge.spawn({ task: "work", context: context() })).output).toBe("copilot did");
    expect(turnsOf()).toEqual(["claude", "copilot", "copilot"]);
    expect(switches()[0]).toMatchObject({ kind, until: null });
  });
}

test("an overloaded service without a reset time is asked again after a minute, then after two", async () => {
  const overloaded: Turns = [{ steps: [{ fail: { kind: "overloaded", message: "busy" } }] }];
  const { bridge, clock, context, turnsOf } = setUp({ claude: overloaded, opencode: says("done") });
  const ask = () => bridge.spawn({ task: "work", context: context() });
  await ask();
  await clock.advance(minute);
  await ask();
  await clock.advance(minute);
  await ask();
  await clock.advance(minute);
  await ask();
  expect(turnsOf()).toEqual(["claude", "opencode", "claude", "opencode", "opencode", "claude", "opencode"]);
});

test("a turn that fails by itself stays where it is", async () => {
  const { bridge, context, turnsOf } = setUp({ claude: fails("crashed"), opencode: says("no") });
  const result = await bridge.spawn({ task: "work", context: context() });
  expect(result.failure?.kind).toBe("crashed");
  expect(turnsOf()).toEqual(["claude"]);
});

test("when all are out, the failure names the time at which the first is back", async () => {
  const { bridge, clock, context } = setUp({
    claude: fails("auth"),
    opencode: fails("rate_limited", 30 * minute),
    copilot: fails("rate_limited", 20 * minute),
  });
  const result = await bridge.spawn({ task: "work", context: context() });
  expect(result.failure).toMatchObject({ kind: "rate_limited", resetAt: clock.now() + 20 * minute });
  expect((await bridge.spawn({ task: "work", context: context() })).failure?.resetAt).toBe(clock.now() + 20 * minute);
});

test("with one agent its failure is returned as it is", async () => {
  const { bridge, clock, context, switches } = setUp({ claude: fails("rate_limited", minute) });
  const result = await bridge.spawn({ task: "work", context: context() });
  expect(result.failure).toMatchObject({ kind: "rate_limited", resetAt: clock.now() + minute });
  expect(switches()).toEqual([]);
});

test("an outage on record holds, and a try that began elsewhere continues there", async () => {
  const known = new Outages([["claude", { kind: "rate_limited", message: "limit", until: Infinity }]]);
  const out = setUp({ claude: says("no"), opencode: says("opencode did") }, known);
  expect((await out.bridge.spawn({ task: "work", context: out.context() })).output).toBe("opencode did");

  const begun = setUp({ claude: says("no"), opencode: says("opencode did") });
  const previousNotes = [sessionNote("opencode", undefined, "lost")];
  await begun.bridge.spawn({ task: "work", context: begun.context(previousNotes) });
  expect(begun.turnsOf()).toEqual(["opencode"]);
});

test("the next agent learns that the first one had begun the work", async () => {
  const begun: Turns = [{ steps: [{ say: "I begin" }, { fail: { kind: "rate_limited", message: "limit" } }] }];
  const told: Turns = [{ match: "began the following and was cut off[\\s\\S]*work", steps: [{ say: "continued" }] }];
  const { bridge, context } = setUp({ claude: begun, opencode: told });
  expect((await bridge.spawn({ task: "work", context: context() })).output).toBe("continued");
});

test("a node's own type of agent takes its turns, out or not, and an unknown one is refused", async () => {
  const { bridge, context, turnsOf } = setUp({ claude: says("claude did"), opencode: says("opencode did") });
  const result = await bridge.spawn({ task: "work", agentType: "opencode", session: "main", context: context() });
  expect(result.output).toBe("opencode did");
  expect(turnsOf()).toEqual(["opencode"]);
  await expect(bridge.spawn({ task: "work", agentType: "copilot", context: context() })).rejects.toThrow("no copilot");
  await bridge.clearSession("main");
  expect(await bridge.contextUsage("main")).toBeUndefined();
});
