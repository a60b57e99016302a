// OpenCode: the contract, and what only its server can get wrong.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { completeTurn, eventually, ofType, openSession, readTurn } from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts } from "../../src/testing/contracts/agent-scenarios.ts";
import { agentSuite, type OwnCase } from "./agent-suite.ts";
import { rigBackend } from "./backends/opencode.ts";
import { pidsWith, serverPid, withClient, withClientOf } from "./opencode-helpers.ts";
import { serviceCases, serviceScenarios } from "./service-cases.ts";
import { settingsCases } from "./opencode-settings.ts";

const { vocabulary } = rigBackend;
let failuresLeft = 0;
let overflowsLeft = 0;

const cases: readonly OwnCase[] = [
  {
    name: "twenty sessions run at once on one server, and are kept apart",
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
    name: "a full context is compacted by OpenCode where the user allows it, and the turn continues",
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
    name: "a server that is killed in a turn fails it, and the next turn continues in the same session on another one",
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
    name: "a session that is opened while one whose turn timed out is closed gets its prompt",
    async run({ harness }) {
      const folder = harness.newFolder();
      for (let round = 0; round < 3; round++) {
        const silent = await openSession(harness, folder, { limits: { silenceMs: harness.silenceMs } });
        const { end } = await readTurn(silent, harness.prompt("silent", folder));
        assert.ok(end.type === "turn.failed" && end.failure.kind === "timeout", end.type);
        const [, next] = await Promise.all([silent.close(), openSession(harness, folder)]);
        const { end: answered } = await completeTurn(next, harness.prompt("answer", folder));
        assert.equal(answered.text, contractTexts.answer);
        await next.close();
      }
    },
  },
  {
    name: "the folder of a server goes with a host that is killed",
    async run({ harness, place }) {
      const foldersOf = (): readonly string[] =>
        readdirSync(join(place.root, "tmp")).filter((name) => name.startsWith("atomic-opencode-"));
      const before = new Set(foldersOf());
      const folder = harness.newFolder();
      const command = harness.hostCommand(folder, harness.prompt("shell-long", folder));
      assert.ok(command !== undefined);
      const host = spawn(command.file, command.args, { env: command.env, stdio: ["ignore", "ignore", "inherit"] });
      await eventually("the tool runs", () => existsSync(join(folder, "started")), 60_000);
      assert.equal(foldersOf().filter((name) => !before.has(name)).length, 1);
      host.kill("SIGKILL");
      await eventually("its folder is gone", () => foldersOf().every((name) => before.has(name)));
    },
  },
  {
    name: "turns that are stopped at any moment, or fail, leave nothing that ends or joins the next one",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      for (const type of ["turn.started", "model.served", "text.delta", "turn.started", "text.delta"] as const) {
        const stop = new AbortController();
        const { end } = await readTurn(session, harness.prompt("slow", folder), {
          signal: stop.signal,
          onEvent: (event) => event.type === type && stop.abort(),
        });
        assert.ok(end.type === "turn.interrupted" && !end.isUnanswered, `stopped at ${type}: ${end.type}`);
        const failed = await readTurn(session, harness.prompt("error-500", folder));
        assert.equal(failed.end.type, "turn.failed");
        const { events, end: next } = await completeTurn(session, harness.prompt("answer", folder));
        assert.equal(next.text, contractTexts.answer);
        assert.equal(ofType(events, "usage.reported").length, 1, "one answer of the model, this turn's");
      }
      await session.close();
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
  cases: [...cases, ...settingsCases, ...serviceCases],
  scenarios: {
    ...serviceScenarios,
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
