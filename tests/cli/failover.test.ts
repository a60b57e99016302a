// Several agents in order of preference, as a user sees it: when one is out the next takes its turns, the record and the
// screen say so, and the first is back when its limit is over. The second agent is a real program that speaks ACP.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFakeAgent, type FakeAgent } from "../support/fake-acp-agent.ts";
import { createCliWorld, patienceMs, type CliWorld, type Ended } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const hour = 3_600_000;

/** Two turns, and between them as long a pause as the prompt says. */
const twoTurns = `import { agentNode, graph, toolNode } from "atomic/workflows";
export const name = "two";
export default () =>
  graph()
    .start(agentNode({ id: "first", prompt: "first" }))
    .then(toolNode({ id: "pause", execute: (s) => new Promise((resolve) => setTimeout(() => resolve("rested"), Number(s.prompt))) }))
    .then(agentNode({ id: "second", prompt: "second" }));
`;

function newWorld(agent: FakeAgent = {}): { readonly world: CliWorld; readonly acp: string } {
  const world = createCliWorld();
  world.workflow("two", twoTurns);
  return { world, acp: `acp:${writeFakeAgent(world.root, agent)}` };
}

const limited = (resetInMs: number): object[] => [
  { times: 1, steps: [{ fail: { kind: "rate_limited", message: "limit reached", resetInMs } }] },
  { steps: [{ say: "the script did" }] },
];

const of = (run: Ended, type: string) => run.events().filter((event) => event.type === type);
const backendsOf = (run: Ended) => of(run, "agent.turn-started").map((event) => event["backend"]);
const outputsOf = (run: Ended) =>
  of(run, "node.finished").map((event) => Object.values((event["update"] as { outputs: object }).outputs)[0] as string);

test("a rate limit moves the turns to the next agent: on record, on the screen, in the list of runs", async () => {
  const { world, acp } = newWorld();
  const words = ["run", "two", "0", "-a", `scripted,${acp}`, "--script", world.script("s", limited(hour)), "--trust"];
  const run = await world.run([...words, "--json"]);

  expect(run.exitCode).toBe(0);
  expect(backendsOf(run)).toEqual(["scripted", acp, acp]);
  expect(outputsOf(run)).toEqual(["hello", "rested", "hello"]);
  expect(of(run, "agent.switched")).toMatchObject([{ from: "scripted", to: acp, kind: "rate_limited", node: "first" }]);
  expect(of(run, "limit.waiting")).toEqual([]);
  expect(of(run, "run.started")[0]).toMatchObject({ agentKind: "scripted", agents: ["scripted", acp] });

  const shown = await world.run(words);
  expect(shown.stderr).toMatch(
    /! scripted has reached a rate limit until \S+; acp:.* takes its turns \(limit reached\)/,
  );
  const id = String(run.events()[0]?.runId);
  expect((await world.run(["sessions", "show", id])).stdout).toContain("then acp:");
  expect(world.read(`home/.atomic/workflows/sessions/${id}/progress.txt`)).toContain("takes its turns");
});

test("the first agent is back when its limit is over", async () => {
  const { world, acp } = newWorld();
  const script = world.script("s", limited(1500));
  const run = await world.run(["run", "two", "1600", "-a", `scripted,${acp}`, "--script", script, "--trust", "--json"]);

  expect(run.exitCode).toBe(0);
  expect(backendsOf(run)).toEqual(["scripted", acp, "scripted"]);
  expect(outputsOf(run)).toEqual(["hello", "rested", "the script did"]);
  expect(of(run, "agent.returned")).toMatchObject([{ agent: "scripted", node: "second" }]);
});

test("with one agent the run waits for the limit, and does not switch", async () => {
  const { world } = newWorld();
  const script = world.script("s", limited(300));
  const run = await world.run(["run", "two", "0", "-a", "scripted", "--script", script, "--json"]);

  expect(run.exitCode).toBe(0);
  expect(of(run, "limit.waiting")).toHaveLength(1);
  expect(of(run, "agent.switched")).toEqual([]);
});

test("when all are out the run waits for the one that is back first", async () => {
  const { world, acp } = newWorld({ on: { "session/prompt": 'fail(-32000, "Authentication required")' } });
  const script = world.script("s", limited(400));
  const run = await world.run(["run", "two", "0", "-a", `scripted,${acp}`, "--script", script, "--trust", "--json"]);

  expect(run.exitCode).toBe(0);
  expect(of(run, "limit.waiting")).toMatchObject([{ kind: "rate_limited" }]);
  expect(outputsOf(run)).toEqual(["the script did", "rested", "the script did"]);
});

test("a run that is killed in a turn of the second agent continues that session, and keeps away from the first", async () => {
  const { world, acp } = newWorld({
    on: {
      initialize: "answer({ protocolVersion: 1, agentCapabilities: { loadSession: true } })",
      "session/load": "memory.isLoaded = true; answer({})",
      "session/prompt": `if (!memory.isLoaded) return;
        const text = params.prompt.map((part) => part.text).join("");
        say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: /interrupted/.test(text) ? "continued" : "again" } });
        answer({ stopReason: "end_turn" })`,
    },
  });
  const script = world.script("s", limited(hour));
  const words = ["run", "two", "0", "-a", `scripted,${acp}`, "--script", script, "--trust", "--json"];
  const live = world.start(words);
  await live.seen(/"agent.turn-started"[^\n]*"backend":"acp:/);
  live.signal("SIGKILL");
  await live.ended;
  const again = await world.run(["resume", world.onlyRun(), "--trust", "--json"]);

  expect(again.exitCode).toBe(0);
  expect(backendsOf(again)).toEqual([acp, acp]);
  expect(outputsOf(again)).toEqual(["continued", "rested", "again"]);
});

test("the setting names the order, and an agent that is not installed is skipped", async () => {
  const { world, acp } = newWorld();
  world.write("home/.atomic/settings.json", { agent: `copilot, ${acp}` });
  const run = await world.run(["run", "two", "0", "--trust", "--json"]);

  expect(run.exitCode).toBe(0);
  expect(of(run, "agent.switched")).toMatchObject([{ from: "copilot", to: acp, kind: "unavailable", until: null }]);
  expect(outputsOf(run)).toEqual(["hello", "rested", "hello"]);
  const one = await world.run(["run", "two", "0", "-a", "copilot", "--trust", "--json"]);
  expect(one.exitCode).toBe(4);
});

test("a node's agentType takes its turns, whatever the order says", async () => {
  const { world, acp } = newWorld();
  world.workflow(
    "typed",
    `import { agentNode, graph, subagentNode } from "atomic/workflows";
export const name = "typed";
export default () =>
  graph()
    .start(agentNode({ id: "usual", prompt: "work" }))
    .then(agentNode({ id: "other", agentType: ${JSON.stringify(acp)}, prompt: "work" }))
    .then(subagentNode({ id: "sub", agentType: ${JSON.stringify(acp)}, instruction: "work" }));
`,
  );
  const script = world.script("s", [{ steps: [{ say: "the script did" }] }]);
  const run = await world.run(["run", "typed", "x", "-a", "scripted", "--script", script, "--trust", "--json"]);

  expect(run.exitCode).toBe(0);
  expect(outputsOf(run)).toEqual(["the script did", "hello", "hello"]);
});

test("an order that can't be is refused before anything runs", async () => {
  const { world, acp } = newWorld();
  const script = world.script("s", limited(hour));
  const refused: [words: string[], text: string][] = [
    [["-a", "claude,claude"], "The agent claude is named twice"],
    [["-a", "claude,gpt"], 'There is no agent "gpt"'],
    [["-a", "scripted,replay", "--script", script], "one of scripted and replay"],
    [["-a", `scripted,${acp}`, "--script", script, "--record", "r.jsonl"], "--record records one agent"],
    [["-a", "scripted,copilot", "--script", script, "--max-cost", "1"], "can't be enforced with GitHub Copilot"],
  ];
  for (const [words, text] of refused) {
    const run = await world.run(["run", "two", "0", ...words]);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(text)]);
  }
  expect((await world.run(["sessions", "--json"])).stdout).toBe("[]\n");
});
