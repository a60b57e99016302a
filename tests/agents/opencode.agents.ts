// OpenCode: the contract, and what only its server can get wrong.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createOpencodeClient } from "../../src/agents/opencode/opencode-client.ts";
import type { AgentClient, OpenOptions } from "../../src/agents/port.ts";
import { completeTurn, eventually, ofType, openSession, readTurn } from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts } from "../../src/testing/contracts/agent-scenarios.ts";
import type { ModelRequest } from "../../src/testing/model-server/model-request.ts";
import { agentSuite, type OwnCase, type SuiteContext } from "./agent-suite.ts";
import { quiet, rigBackend, userConfig } from "./backends/opencode.ts";
import { homeOf, rigHost } from "./rig.ts";

const { vocabulary } = rigBackend;
let failuresLeft = 0;
let overflowsLeft = 0;

/** A client with its own configuration of the person and its own patience, closed after the case. */
async function withClient(
  { place }: SuiteContext,
  options: { readonly config?: object; readonly npm?: string; readonly attempts?: number; readonly env?: object },
  run: (client: AgentClient) => Promise<void>,
): Promise<void> {
  const config = { ...userConfig(place, options.npm), ...options.config };
  const client = createOpencodeClient({
    host: rigHost(place, { ...quiet, ...options.env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }),
    retries: { attempts: options.attempts ?? 0 },
  });
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

/** What the model was sent last for the scenario. */
function lastRequest(
  { server }: SuiteContext,
  scenario: string,
): { readonly text: string; readonly request: ModelRequest } {
  const found = server.seen.findLast((seen) => seen.scenario === scenario && seen.request !== undefined);
  assert.ok(found?.request !== undefined, `the model was asked for ${scenario}`);
  return { text: JSON.stringify(found.body), request: found.request };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;

const cases: readonly OwnCase[] = [
  {
    name: "twenty sessions run at once on one server, and are told apart",
    async run({ harness }) {
      const project = harness.newFolder();
      const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(harness, project)));
      assert.equal(new Set(sessions.map(({ id }) => id)).size, 20);
      await Promise.all(
        sessions.map(async (session, index) => {
          const folder = join(project, `task-${index}`);
          mkdirSync(folder);
          const isParent = index < 3;
          const { events } = await completeTurn(session, harness.prompt(isParent ? "two-subagents" : "write", folder));
          assert.ok(existsSync(join(folder, isParent ? "two.txt" : "hello.txt")));
          assert.equal(ofType(events, "subagent.started").length, isParent ? 2 : 0);
          assert.equal(ofType(events, "tool.started").length, isParent ? 4 : 1, "no event of another session");
        }),
      );
      await Promise.all(sessions.map((session) => session.close()));
    },
  },
  {
    name: "the tokens and the cost of sub-agents are part of the turn's",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("subagent", folder));
      const reports = ofType(events, "usage.reported");
      const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
      assert.ok(
        reports.some(({ agentId }) => agentId !== undefined) && reports.some(({ agentId }) => agentId === undefined),
      );
      assert.equal(end.usage.inputTokens, sum(reports.map(({ usage }) => usage.inputTokens)));
      assert.ok(Math.abs((end.usage.costUsd ?? 0) - sum(reports.map(({ usage }) => usage.costUsd ?? 0))) < 1e-9);
      await session.close();
    },
  },
  {
    name: "a service that fails once is asked again by OpenCode, and the turn says so",
    async run(context) {
      const { harness } = context;
      await withClient(context, { attempts: 2 }, async (client) => {
        failuresLeft = 1;
        const session = await client.open({ cwd: harness.newFolder(), ...harness.open });
        const { events, end } = await completeTurn(session, "Please do this: @@fail-once");
        assert.equal(end.text, contractTexts.answer);
        const [retry] = ofType(events, "retry.scheduled");
        assert.equal(retry?.attempt, 1);
        assert.equal(retry?.failure.kind, "overloaded");
      });
    },
  },
  {
    name: "a full context is compacted by OpenCode where the person lets it, and the turn goes on",
    async run(context) {
      const { harness } = context;
      await withClient(context, { config: { compaction: { auto: true } } }, async (client) => {
        const folder = harness.newFolder();
        const session = await client.open({ cwd: folder, ...harness.open });
        await completeTurn(session, harness.prompt("answer", folder));
        overflowsLeft = 1;
        const { events, end } = await completeTurn(session, "Please do this: @@overflow-once");
        assert.equal(ofType(events, "context.compacted").length, 1);
        assert.equal(end.text, contractTexts.answer, "the turn ends with the answer, not with the summary");
      });
    },
  },
  {
    name: "a compaction reads the focus",
    async run(context) {
      const { harness, server } = context;
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      const before = server.seen.length;
      await session.compact("the word quinquereme");
      assert.ok(server.seen.slice(before).some(({ body }) => JSON.stringify(body).includes("quinquereme")));
      await session.close();
    },
  },
  {
    name: "an untrusted project's instructions, agents and skills never reach the model, a trusted one's do, the person's own always",
    async run(context) {
      const { harness, place } = context;
      write(homeOf(place), {
        ".config/opencode/AGENTS.md": "own-instruction",
        ".claude/skills/own/SKILL.md": skill("own-skill", "own-skill-text"),
      });
      for (const isProjectTrusted of [false, true]) {
        const folder = harness.newFolder();
        write(folder, {
          "AGENTS.md": "planted-instruction",
          ".opencode/agents/planted.md": "---\ndescription: planted-agent-text\nmode: subagent\n---\nDo it.\n",
          ".opencode/skills/one/SKILL.md": skill("planted-one", "planted-skill-one"),
          ".claude/skills/two/SKILL.md": skill("planted-two", "planted-skill-two"),
          ".agents/skills/three/SKILL.md": skill("planted-three", "planted-skill-three"),
        });
        await withClientOf(harness.newClient, async (client) => {
          const session = await client.open({ cwd: folder, ...harness.open, isProjectTrusted });
          await completeTurn(session, harness.prompt("answer", folder));
        });
        const { text } = lastRequest(context, "answer");
        assert.ok(text.includes("own-instruction"), "the person's own instructions are there");
        assert.ok(text.includes("own-skill-text"), "the person's own skills are there");
        for (const planted of ["instruction", "agent-text", "skill-one", "skill-two", "skill-three"])
          assert.equal(text.includes(`planted-${planted}`), isProjectTrusted, `planted-${planted}`);
      }
    },
  },
  {
    name: "an .env file of a project sets nothing in the server",
    async run({ harness }) {
      const folder = harness.newFolder();
      write(folder, { ".env": "PLANTED=yes\n", "bunfig.toml": 'preload = ["./planted.js"]\n' });
      const session = await openSession(harness, folder, { isProjectTrusted: true });
      const { events } = await completeTurn(session, `Please do this: @@print-env:${folder}`);
      assert.match(ofType(events, "tool.finished")[0]?.output ?? "", /planted=none/);
      await session.close();
    },
  },
  {
    name: "what the person's rules ask about runs without asking, what they deny stays denied",
    async run(context) {
      const { harness } = context;
      const permission = { bash: { "*": "ask", "cp *": "deny" }, edit: "ask", webfetch: "deny" };
      await withClient(context, { config: { permission } }, async (client) => {
        const folder = harness.newFolder();
        const onQuestion: OpenOptions["onQuestion"] = () => assert.fail("nobody may be asked");
        const session = await client.open({ cwd: folder, ...harness.open, onQuestion });
        await completeTurn(session, harness.prompt("write", folder));
        assert.ok(existsSync(join(folder, "hello.txt")));
        await completeTurn(session, `Please do this: @@print-env:${folder}`);
        const { events } = await completeTurn(session, harness.prompt("two-tools", folder));
        assert.equal(ofType(events, "tool.finished").at(-1)?.outcome, "failed");
        assert.ok(!existsSync(join(folder, "copy.txt")), "what is denied did not run");
        assert.ok(!lastRequest(context, "two-tools").request.tools.includes("webfetch"));
      });
    },
  },
  {
    name: "a sub-agent is defined for a session, with its instructions and its tools",
    async run(context) {
      const { harness } = context;
      const folder = harness.newFolder();
      const tester = { name: "tester", description: "tests", prompt: "You are the tester.", tools: ["read", "write"] };
      const session = await openSession(harness, folder, { subagents: [tester] });
      const { events } = await completeTurn(session, `Please do this: @@call-tester:${folder}`);
      assert.equal(ofType(events, "subagent.started")[0]?.name, "tester");
      const { text, request } = lastRequest(context, "subagent-one");
      assert.ok(text.includes("You are the tester."));
      assert.ok(request.tools.includes("write") && !request.tools.includes("bash"), request.tools.join());
      assert.ok(existsSync(join(folder, "one.txt")));
      await session.close();
    },
  },
  {
    name: "an agent with a list of tools has those alone, also when it is resumed",
    async run(context) {
      const { harness } = context;
      const folder = harness.newFolder();
      const open = async (options: Partial<OpenOptions>): Promise<readonly string[]> => {
        const session = await openSession(harness, folder, options);
        await completeTurn(session, harness.prompt("answer", folder));
        await session.close();
        resume = session.id;
        return lastRequest(context, "answer").request.tools;
      };
      let resume = "";
      const agent = { name: "reader", prompt: "", tools: ["read", "grep"] };
      assert.deepEqual([...(await open({ agent }))].sort(), ["grep", "read"]);
      assert.deepEqual([...(await open({ resume, agent: { ...agent, tools: ["glob"] } }))].sort(), ["glob"]);
    },
  },
  {
    name: "a model is found by its bare name, and one that does not exist fails the turn",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { end } = await completeTurn(session, harness.prompt("answer", folder), { model: "other-model" });
      assert.equal(end.modelServed, "test/other-model");
      for (const model of ["no-such-model", "test/no-such-model", "nobody/at-all"]) {
        const failed = await readTurn(session, harness.prompt("answer", folder), { model });
        assert.ok(
          failed.end.type === "turn.failed" && failed.end.failure.kind === "refused",
          `${model}: ${failed.end.type}`,
        );
      }
      await completeTurn(session, harness.prompt("answer", folder));
      await session.close();
    },
  },
  {
    name: "a server that is killed in a turn fails it, and the next turn goes on in the same session at another one",
    async run(context) {
      const { harness } = context;
      await withClient(context, { env: { KILL_ME: "opencode-case" } }, async (client) => {
        const folder = harness.newFolder();
        const session = await client.open({ cwd: folder, ...harness.open });
        await completeTurn(session, harness.prompt("answer", folder));
        const { end } = await readTurn(session, harness.prompt("shell-long", folder), {
          onEvent: (event) => event.type === "tool.started" && process.kill(serverPid("opencode-case"), "SIGKILL"),
        });
        assert.ok(end.type === "turn.failed" && end.failure.kind === "crashed" && end.failure.retryable, end.type);
        const next = await completeTurn(session, harness.prompt("recall", folder));
        assert.match(next.end.text, /I remember 3 tasks/);
        await eventually("the tool of the killed server is gone", () => pidsWith(`${folder}/started`).length === 0);
      });
    },
  },
  {
    name: "a proxy in the environment of this program is not asked for loopback",
    async run({ harness }) {
      const before = process.env["HTTP_PROXY"];
      process.env["HTTP_PROXY"] = "http://127.0.0.1:9";
      try {
        await withClientOf(harness.newClient, async (client) => {
          const folder = harness.newFolder();
          const session = await client.open({ cwd: folder, ...harness.open });
          await completeTurn(session, harness.prompt("answer", folder));
        });
      } finally {
        if (before === undefined) delete process.env["HTTP_PROXY"];
        else process.env["HTTP_PROXY"] = before;
      }
    },
  },
  {
    name: "the same holds for a model that speaks Anthropic Messages",
    async run(context) {
      const { harness } = context;
      await withClient(context, { npm: "@ai-sdk/anthropic" }, async (client) => {
        const folder = harness.newFolder();
        const session = await client.open({ cwd: folder, ...harness.open });
        const { end } = await completeTurn(session, harness.prompt("answer", folder));
        assert.equal(end.usage.inputTokens, contractTexts.servedUsage.input);
        await completeTurn(session, harness.prompt("two-subagents", folder));
        const limited = await readTurn(session, harness.prompt("error-429-reset", folder));
        assert.ok(limited.end.type === "turn.failed" && limited.end.failure.resetAt !== undefined);
      });
    },
  },
];

agentSuite(rigBackend, {
  cases,
  scenarios: {
    "fail-once": () =>
      failuresLeft-- > 0
        ? [{ error: { status: 500, type: "api_error", message: "Internal server error" } }]
        : [{ text: contractTexts.answer }],
    "overflow-once": () =>
      overflowsLeft-- > 0
        ? [
            {
              error: {
                status: 400,
                type: "invalid_request_error",
                message: "prompt is too long: 9 tokens > 1 maximum",
              },
            },
          ]
        : [{ text: contractTexts.answer }],
    "print-env": [{ tools: [vocabulary.shell('echo "planted=${PLANTED:-none}"')] }, { text: contractTexts.done }],
    "call-tester": ({ folder }) => [
      {
        tools: [
          {
            name: "task",
            input: { description: "test it", prompt: `Do this: @@subagent-one:${folder}`, subagent_type: "tester" },
          },
        ],
      },
      { text: contractTexts.done },
    ],
  },
});

async function withClientOf(
  newClient: () => Promise<AgentClient>,
  run: (client: AgentClient) => Promise<void>,
): Promise<void> {
  const client = await newClient();
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

/** Processes whose command line has the text. */
function pidsWith(text: string): readonly number[] {
  return allPids().filter((pid) => readProc(pid, "cmdline").includes(text));
}

/** The server that got KILL_ME with this value. */
function serverPid(mark: string): number {
  const found = allPids().find(
    (pid) => readProc(pid, "cmdline").includes("serve") && readProc(pid, "environ").includes(`KILL_ME=${mark}`),
  );
  assert.ok(found !== undefined, "the server runs");
  return found;
}

function allPids(): readonly number[] {
  return [...new Bun.Glob("[0-9]*").scanSync({ cwd: "/proc", onlyFiles: false })].map(Number);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
