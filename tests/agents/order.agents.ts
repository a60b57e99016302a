// Several real programs in one run, with a model that refuses one of them: the order of preference, the way back, a kill
// in the middle; and the user's agents, offered to each program as sub-agents.

import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { eventually, processesOf } from "../../src/testing/contracts/agent-harness.ts";
import { startModelServer, type ModelServer } from "../../src/testing/model-server/model-server.ts";
import type { ModelAnswer, Scenario } from "../../src/testing/model-server/scenario.ts";
import { createCliWorld, poll, type Ended } from "../cli/cli-world.ts";
import { claudeProgram, copilotProgram, opencodeProgram, type RalphProgram } from "./ralph-programs.ts";

setDefaultTimeout(240_000);

const world = createCliWorld();
const programs = [claudeProgram, opencodeProgram, copilotProgram];
/** What the model refuses, by its own path: each program asks a separate server. */
const refused = new Map<string, "limit" | "login">();
const servers = new Map<string, ModelServer>();
let env: Readonly<Record<string, string>> = {};

const answering =
  (kind: string, answer: ModelAnswer): Scenario =>
  () => {
    const why = refused.get(kind);
    const headers = {
      "retry-after": "3600",
      "anthropic-ratelimit-unified-reset": String(Math.ceil(Date.now() / 1000) + 3600),
    };
    if (why === "limit")
      return [
        {
          error: {
            status: 429,
            type: "rate_limit_error",
            message: "This request would exceed your rate limit",
            headers,
          },
        },
      ];
    if (why === "login")
      return [{ error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } }];
    return [answer];
  };

beforeAll(async () => {
  const npm = join(world.root, "npm");
  for (const folder of [join(npm, "bin"), join(npm, "lib")]) mkdirSync(folder, { recursive: true });
  symlinkSync(join(import.meta.dirname, "node_modules"), join(npm, "lib/node_modules"));
  const variables = await Promise.all(
    programs.map(async ({ kind, model, variables }) => {
      const scenarios = {
        tell: answering(kind, { text: `${kind} did it.` }),
        hang: answering(kind, { text: "I begin and go on", hangAfter: 1, pieceDelayMs: 10 }),
      };
      const server = await startModelServer({ scenarios, models: [model] });
      servers.set(kind, server);
      return variables({ root: world.root, modelUrl: server.url });
    }),
  );
  const home = (folder: string): string => join(world.home, folder);
  env = {
    ...world.env,
    PATH: [join(npm, "bin"), world.env["PATH"]].join(":"),
    XDG_CONFIG_HOME: home(".config"),
    XDG_CACHE_HOME: home(".cache"),
    XDG_DATA_HOME: home(".local/share"),
    XDG_STATE_HOME: home(".local/state"),
    ...Object.assign({}, ...variables),
  };
  world.workflow(
    "ask",
    `import { agentNode, graph } from "atomic/workflows";
export const name = "ask";
export default () => graph().start(agentNode({ id: "ask", prompt: (state) => state.prompt }));
`,
  );
  world.write(
    "home/.atomic/agents/carpenter.md",
    "---\ndescription: The carpenter of this test writes files\n---\nYou are the carpenter.\n",
  );
});
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.close()));
});

const start = (...words: readonly string[]) => world.start([...words, "--json"], { env });
const ask = (order: string, scenario = "tell"): Promise<Ended> =>
  start("run", "ask", `Say it. @@${scenario}`, "-a", order).ended;
const outputOf = (run: Ended): unknown => {
  const update = run.events().findLast(({ type }) => type === "node.finished")?.["update"];
  return (update as { outputs: { ask: string } } | undefined)?.outputs.ask;
};
const switchesOf = (run: Ended) => run.events().filter(({ type }) => type === "agent.switched");

for (const [first, next] of [
  [claudeProgram, opencodeProgram],
  [opencodeProgram, copilotProgram],
  [copilotProgram, claudeProgram],
] as const) {
  test(`${first.kind} at a rate limit: ${next.kind} takes the turn`, async () => {
    refused.clear();
    refused.set(first.kind, "limit");
    const run = await ask(`${first.kind},${next.kind}`);
    assert.equal(run.exitCode, 0, run.stderr);
    assert.equal(outputOf(run), `${next.kind} did it.`);
    assert.deepEqual(
      switchesOf(run).map(({ from, to, kind }) => [from, to, kind]),
      [[first.kind, next.kind, "rate_limited"]],
    );
  });
}

test("a refused login passes the turn on, over two programs to the third", async () => {
  refused.clear();
  refused.set("claude", "login").set("copilot", "limit");
  const run = await ask("claude,copilot,opencode");
  assert.equal(run.exitCode, 0, run.stderr);
  assert.equal(outputOf(run), "opencode did it.");
  assert.deepEqual(
    switchesOf(run).map(({ from, to, kind }) => [from, to, kind]),
    [
      ["claude", "copilot", "auth"],
      ["copilot", "opencode", "rate_limited"],
    ],
  );
});

test("a run that is killed in a turn of the second program resumes there, and leaves nothing behind", async () => {
  refused.clear();
  refused.set("claude", "limit");
  const live = start("run", "ask", "Say it. @@hang", "-a", "claude,opencode");
  await poll(
    () => (servers.get("opencode")?.seen.some(({ scenario }) => scenario === "hang") ? true : undefined),
    90_000,
  );
  live.signal("SIGKILL");
  const id = String((await live.ended).events()[0]?.runId);
  await eventually("no process is left", () => processesOf(world.root).length === 0);
  refused.clear();
  const asked = servers.get("opencode")?.seen.length ?? 0;
  const again = start("resume", id);
  await poll(() => ((servers.get("opencode")?.seen.length ?? 0) > asked ? true : undefined), 90_000);
  again.signal("SIGINT");
  const ended = await again.ended;
  assert.equal(ended.exitCode, 130, ended.stderr);
  const turns = ended.events().filter(({ type }) => type === "agent.turn-started");
  assert.deepEqual(
    turns.map(({ backend }) => backend),
    ["opencode"],
  );
});

for (const { kind } of programs satisfies readonly RalphProgram[]) {
  test(`${kind} is offered the user's agents as sub-agents`, async () => {
    refused.clear();
    const run = await ask(kind);
    assert.equal(run.exitCode, 0, run.stderr);
    const body = JSON.stringify(servers.get(kind)?.seen.findLast(({ scenario }) => scenario === "tell")?.body);
    assert.ok(body.includes("The carpenter of this test writes files"), `${kind} did not get the carpenter`);
    assert.ok(body.includes("codebase-locator"), `${kind} did not get the built-in agents`);
  });
}

test("the runs leave no process behind", () =>
  eventually("no process of the suite is left", () => processesOf(world.root).length === 0));
