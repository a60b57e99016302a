// Every option of every run, through the real program on the embedded agent.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();

// One turn with the prompt; the state shows what reached the workflow.
world.workflow(
  "echo",
  `import { createNode, graph } from "atomic/workflows";
export const name = "echo";
export const description = "Takes one turn and shows what reached it";
export const aliases = ["mirror"];
export const prompt = "optional";
export const options = {
  depth: { type: "number", default: 2, description: "how deep" },
  label: { type: "string", repeat: true, description: "labels" },
  dry: { type: "boolean", default: false, description: "do nothing" },
};
export const createState = ({ prompt, options, cwd, maxIterations }) => ({ executionId: "", outputs: {}, asked: { prompt, options, cwd, maxIterations } });
const turn = createNode({
  id: "turn",
  execute: async (ctx) => {
    const { asked } = ctx.state;
    for (let n = 1; n <= (asked.options.depth); n++) {
      const result = await ctx.runtime.agents.spawn({ task: "turn " + n + ": " + asked.prompt, iteration: "turn " + n, context: ctx }, ctx.signal);
      if (!result.success) throw new Error(result.error);
    }
    return { stateUpdate: { outputs: { turn: "done" } } };
  },
});
export const nodeDescriptions = { turn: "Taking turns" };
export default () => graph().start(turn);
`,
);
const cheap = world.script("cheap", [
  { steps: [{ say: "hello ${x}" }, { usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.25 } }] },
]);
const scripted = ["-a", "scripted", "--script", cheap];
const json = async (...words: string[]) => world.run(["run", "echo", ...scripted, "--json", ...words]);

test("--json prints one event per line with the run's id, and the end of the run last", async () => {
  const run = await json("hi there", "--depth", "1");
  const events = run.events();

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toBe("");
  expect(events[0]).toMatchObject({ type: "run.started", seq: 1, workflow: "echo", resumed: false });
  expect(events[0]?.["sessionDir"]).toBe(join(world.sessions, events[0]?.runId ?? ""));
  expect(String(events[0]?.["agent"])).toContain("no model");
  expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  expect(events.at(-1)).toMatchObject({
    type: "run.finished",
    outcome: "completed",
    totals: { turns: 1, inputTokens: 100, outputTokens: 10, costUsd: 0.25 },
  });
  expect(events.map(({ type }) => type)).not.toContain("text.delta");
});

test("--deltas adds the pieces of text, without a number", async () => {
  const events = (await json("x", "--depth", "1", "--deltas")).events();
  const deltas = events.filter(({ type }) => type === "text.delta");

  expect(deltas.length).toBeGreaterThan(0);
  expect(deltas.every(({ seq }) => seq === undefined)).toBe(true);
  expect(deltas.map(({ data }) => (data as { text: string }).text).join("")).toContain("hello");
});

test("prompt, declared options, their defaults, lists and --verify reach the workflow", async () => {
  const words = [
    "do it",
    "--depth",
    "1",
    "--label",
    "a",
    "--label",
    "b",
    "--dry",
    "--verify",
    "true",
    "--verify",
    "test 1",
  ];
  const [started] = (await json(...words)).events();

  expect(started?.["state"]).toHaveProperty("asked", {
    prompt: "do it",
    cwd: world.project,
    maxIterations: 100,
    options: { depth: 1, label: ["a", "b"], dry: true, verify: ["true", "test 1"] },
  });
  const [bare] = (await json()).events();
  expect(bare?.["state"]).toMatchObject({ asked: { options: { depth: 2, dry: false, verify: [] } } });
});

test("a workflow is found by its alias and without regard to case", async () => {
  expect((await world.run(["run", "MIRROR", ...scripted, "--depth", "1"])).stderr).toContain("Started Echo session: ");
});

test("--cwd is where the run works", async () => {
  const elsewhere = join(world.root, "else where");
  world.write("else where/x.txt", "");
  const [started] = (await json("--cwd", "../else where", "--depth", "1")).events();

  expect(started).toMatchObject({ cwd: elsewhere });
  const missing = await json("--cwd", "../nowhere");
  expect(missing.exitCode).toBe(2);
  expect(missing.stderr).toContain("is not a folder");
});

test("-m asks for the model", async () => {
  const events = (await json("-m", "some-model", "--depth", "1")).events();

  expect(events.find(({ type }) => type === "agent.turn-started")).toMatchObject({ modelAsked: "some-model" });
});

test("--max-iterations pauses with work open, and resume takes a new limit without repeating anything", async () => {
  const run = await json("--depth", "3", "--max-iterations", "2");
  const events = run.events();

  expect(run.exitCode).toBe(5);
  expect(events.at(-1)).toMatchObject({ type: "run.paused", reason: "budget", limit: "max-iterations", iterations: 2 });
  expect(events.filter(({ type }) => type === "agent.turn-finished")).toHaveLength(2);
  expect(run.stderr).toContain(`Paused Echo session: ${events[0]?.runId}`);
  expect(run.stderr).toContain(`Resume with: atomic resume ${events[0]?.runId} --max-iterations N`);

  const again = await world.run(["resume", events[0]?.runId ?? "", "--json"]);
  expect(again.exitCode).toBe(5);
  const more = await world.run(["resume", events[0]?.runId ?? "", "--json", "--max-iterations", "9"]);
  expect(more.exitCode).toBe(0);
});

// Two agents in a loop that nothing but a limit ends.
world.workflow(
  "circle",
  `import { agentNode, graph } from "atomic/workflows";
export const name = "circle";
export const description = "Goes round until the state says so";
export const prompt = "optional";
export default () =>
  graph()
    .start(agentNode({ id: "plan", prompt: "plan" }))
    .loop([agentNode({ id: "work", prompt: "work" }), agentNode({ id: "look", prompt: "look" })], { until: () => false, maxIterations: 6 });
`,
);

test("--max-iterations counts the rounds of an author's loop, whatever a round asks of agents", async () => {
  const run = await world.run(["run", "circle", ...scripted, "--json", "--max-iterations", "4"]);
  const turns = run.events().filter(({ type }) => type === "agent.turn-finished");

  expect(run.exitCode).toBe(5);
  expect(run.events().at(-1)).toMatchObject({ type: "run.paused", limit: "max-iterations", iterations: 4 });
  expect(turns).toHaveLength(1 + 4 * 2);

  const id = run.events()[0]?.runId ?? "";
  const more = await world.run(["resume", id, "--json", "--max-iterations", "9"]);
  expect(more.exitCode).toBe(0);
  expect(more.events().filter(({ type }) => type === "agent.turn-finished")).toHaveLength(2 * 2);
});

test("--max-iterations 0 says what ends the run", async () => {
  const run = await world.run(["run", "echo", ...scripted, "--max-iterations", "0", "--depth", "1"]);

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("only completion, another limit or Ctrl+C ends this run");
});

test("--max-cost stops before the turn that would go over, and counts over resumes", async () => {
  const run = await json("--depth", "9", "--max-cost", "0.5");
  const id = run.events()[0]?.runId ?? "";

  expect(run.exitCode).toBe(5);
  expect(run.events().at(-1)).toMatchObject({ reason: "budget", limit: "max-cost", totals: { costUsd: 0.5 } });
  expect(run.stderr).toContain("--max-cost USD");
  const more = await world.run(["resume", id, "--max-cost", "0.6", "--json"]);
  expect(more.events().at(-1)).toMatchObject({ reason: "budget", totals: { costUsd: 0.75 } });
});

test("--max-tokens stops when the tokens are used", async () => {
  const run = await json("--depth", "9", "--max-tokens", "200");

  expect(run.exitCode).toBe(5);
  expect(run.events().at(-1)).toMatchObject({ reason: "budget", limit: "max-tokens", tokens: 220 });
});

test("--max-minutes stops a run that takes too long", async () => {
  const slow = world.script("slow", [{ steps: [{ say: "…" }, { hang: true }] }]);
  const run = await world.run(["run", "echo", "-a", "scripted", "--script", slow, "--json", "--max-minutes", "0.005"]);

  expect(run.exitCode).toBe(5);
  expect(run.events().at(-1)).toMatchObject({ reason: "budget", limit: "max-minutes" });
});

test("--max-wait ends the patience with rate limits", async () => {
  const limited = world.script("limited", [
    { steps: [{ fail: { kind: "rate_limited", resetInMs: 3_600_000, message: "too many" } }] },
  ]);
  const run = await world.run(["run", "echo", "-a", "scripted", "--script", limited, "--json", "--max-wait", "1"]);

  expect(run.exitCode).toBe(5);
  expect(run.events().at(-1)).toMatchObject({ reason: "budget", limit: "max-wait" });
  expect(run.stderr).toContain("--max-wait MINUTES");
});

test("a rate limit that ends soon is waited out and uses up no iteration", async () => {
  const soon = world.script("soon", [
    { times: 1, steps: [{ fail: { kind: "rate_limited", resetInMs: 300, message: "too many" } }] },
    { steps: [{ say: "ok" }] },
  ]);
  const run = await world.run([
    "run",
    "echo",
    "-a",
    "scripted",
    "--script",
    soon,
    "--json",
    "--depth",
    "1",
    "--max-iterations",
    "1",
  ]);
  const events = run.events();

  expect(run.exitCode).toBe(0);
  const waiting = events.find(({ type }) => type === "limit.waiting");
  const finished = events.findLast(({ type }) => type === "agent.turn-started");
  expect(finished?.["at"] as number).toBeGreaterThanOrEqual(waiting?.["until"] as number);
});

test("limits, agent and model also come from settings and variables; what is typed wins", async () => {
  const env = { ATOMIC_AGENT: "scripted", ATOMIC_MAX_COST: "0.25", ATOMIC_MODEL: "from-variable" };
  const limited = await world.run(["run", "echo", "--script", cheap, "--json"], { env });
  expect(limited.exitCode).toBe(5);
  expect(limited.events()[0]).toMatchObject({ model: "from-variable", limits: { maxCostUsd: 0.25 } });
  expect((await world.run(["run", "echo", "--script", cheap, "--max-cost", "9"], { env })).exitCode).toBe(0);
  const wrong = await world.run(["run", "echo", "--script", cheap], { env: { ATOMIC_MAX_COST: "lots" } });
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toContain("ATOMIC_MAX_COST");
});

test("--record writes what -a replay plays back", async () => {
  const file = join(world.root, "recording.jsonl");
  const recorded = await json("again", "--depth", "1", "--record", file);
  expect(recorded.exitCode).toBe(0);

  const replayed = await world.run([
    "run",
    "echo",
    "again",
    "-a",
    "replay",
    "--script",
    file,
    "--json",
    "--depth",
    "1",
  ]);
  expect(replayed.exitCode).toBe(0);
  expect(replayed.events().find(({ type }) => type === "agent.turn-finished")).toMatchObject({ outcome: "completed" });

  const bad = await json("--record", join(world.root, "no", "such", "folder"));
  expect(bad.exitCode).toBe(2);
  expect(bad.stderr).toContain("--record");
});

test("an unknown agent, a missing script and a script for an agent that plays none are wrong usage", async () => {
  const cases: readonly [readonly string[], string][] = [
    [["-a", "clude"], 'There is no agent "clude" (did you mean "claude"?)'],
    [["-a", "scripted"], "add --script FILE"],
    [["-a", "claude", "--script", cheap], "claude takes none"],
    [["--depth", "deep"], "must be a number"],
    [["--max-cost", "-1"], "--max-cost"],
    [["--max-iterations", "1.5"], "--max-iterations must be a whole number"],
    [["--answer", "no equals sign"], "is not QUESTION=VALUE"],
    [["--nonsense"], "--nonsense"],
  ];
  for (const [words, text] of cases) {
    const run = await world.run(["run", "echo", ...words]);
    expect([words, run.exitCode]).toEqual([words, 2]);
    expect(run.stderr).toContain(text);
    expect(run.stdout).toBe("");
  }
});

test("--script alone means the embedded agent", async () => {
  expect((await world.run(["run", "echo", "--script", cheap, "--depth", "1"])).stderr).toContain("no model");
});

test("a script that can't be used is named with its place, and nothing is started", async () => {
  const before = [...new Bun.Glob("*").scanSync({ cwd: world.sessions, onlyFiles: false })].length;
  const broken = world.write("broken.json", '{ "version": 1, "turns": [{ "steps": [{ "sing": "la" }] }] }');
  const run = await world.run(["run", "echo", "--script", broken]);

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("SCRIPT_INVALID");
  expect([...new Bun.Glob("*").scanSync({ cwd: world.sessions, onlyFiles: false })]).toHaveLength(before);
});

test("a workflow that needs a prompt asks for one", async () => {
  world.workflow("tell", `export const name = "tell";\nexport const description = "Tells";\n`);
  const run = await world.run(["run", "tell", ...scripted]);

  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain("Please provide a prompt for the tell workflow.");
  const told = await world.run(["run", "tell", "something", ...scripted]);
  expect(told.exitCode).toBe(0);
  expect(told.stdout).toContain("hello");
});

test("a name that no workflow has is answered with the nearest one", async () => {
  const run = await world.run(["run", "echoo", ...scripted]);

  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain('did you mean "echo"?');
});

test("--help after the name lists the workflow's own options and those of every run, and starts nothing", async () => {
  const run = await world.run(["run", "echo", "--help"]);

  expect(run.exitCode).toBe(0);
  for (const text of ["--depth", "how deep", "--max-cost", "--verify", "--no-questions"])
    expect(run.stdout).toContain(text);
});

test("an untrusted workflow of the project is skipped with a notice, and runs with --trust", async () => {
  const proof = join(world.root, "ran");
  world.write(
    "project/.atomic/workflows/local.ts",
    `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(proof)}, "");\nexport const name = "local";\nexport const description = "Local";\n`,
  );
  const skipped = await world.run(["run", "local", "x", ...scripted]);
  expect(skipped.exitCode).toBe(1);
  expect(skipped.stderr).toContain("--trust");
  expect((await world.run(["run", "local", "--help"])).exitCode).toBe(0);
  expect(existsSync(proof)).toBe(false);

  const trusted = await world.run(["run", "local", "x", ...scripted, "--trust"]);
  expect(trusted.exitCode).toBe(0);
  expect(existsSync(proof)).toBe(true);
});

test("an untrusted file that hides one of the user's gives way to it, with a notice", async () => {
  world.write(
    "project/.atomic/workflows/echo.ts",
    `export const name = "echo";\nexport const description = "Not mine";\n`,
  );
  const run = await world.run(["run", "echo", ...scripted, "--depth", "1"]);

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("notice: ");
  expect(run.stderr).toContain("was never trusted");
  expect(run.stderr).toContain("Taking turns");
});
