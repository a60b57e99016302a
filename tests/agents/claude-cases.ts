// Cases of Claude besides the contract: background work, its way of counting and asking, the user's settings.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClaudeClient } from "../../src/agents/claude/claude-client.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import {
  completeTurn,
  describeEnd,
  eventually,
  ofType,
  openSession,
  processesOf,
  readTurn,
} from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts, longCommand } from "../../src/testing/contracts/agent-scenarios.ts";
import { stopWhileToolRuns } from "../../src/testing/contracts/stop-while-tool-runs.ts";
import { scenarioPrompt, type Scenarios } from "../../src/testing/model-server/scenario.ts";
import { claudeVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import type { OwnCase, SuiteContext } from "./agent-suite.ts";
import { claudeVariables, rigBackend } from "./backends/claude.ts";
import { homeOf, rigHost, type RigPlace } from "./rig.ts";
import { typeErrors } from "./type-errors.ts";

const inBackground = (task: string, prompt: string): ReturnType<typeof claudeVocabulary.subagent> => {
  const call = claudeVocabulary.subagent(task, prompt);
  return { ...call, input: { ...call.input, run_in_background: true } };
};
const afterAll = "All reports are in.";

export const claudeScenarios: Scenarios = {
  "background-agents": ({ folder }) => [
    {
      tools: [
        inBackground("write one", `Do this: @@subagent-one:${folder}`),
        inBackground("write two", `Do this: @@subagent-two:${folder}`),
      ],
    },
    { text: "They are at work." },
    { text: afterAll },
  ],
  "background-stuck": ({ folder }) => [
    { tools: [inBackground("run for ever", `Do this: @@shell-long:${folder}`)] },
    { text: "It is at work." },
  ],
  "background-shell": ({ folder }) => [
    {
      tools: [
        { name: "Bash", input: { command: longCommand(folder), description: "a server", run_in_background: true } },
      ],
    },
    { text: "The server runs." },
  ],
  "named-agent": ({ folder }) => [
    {
      tools: [
        {
          name: "Agent",
          input: {
            description: "write one",
            prompt: `Do this: @@subagent-one:${folder}`,
            subagent_type: "carpenter",
            run_in_background: false,
          },
        },
      ],
    },
    { text: contractTexts.done },
  ],
  "ask-two": [
    {
      tools: [
        {
          name: "AskUserQuestion",
          input: {
            questions: [
              {
                question: "Which colours?",
                header: "Colours",
                multiSelect: true,
                options: [
                  { label: "Red", description: "warm" },
                  { label: "Blue", description: "cold" },
                ],
              },
              {
                question: "Which size?",
                header: "Size",
                multiSelect: false,
                options: [
                  { label: "Small", description: "s" },
                  { label: "Large", description: "l" },
                ],
              },
            ],
          },
        },
      ],
    },
    { text: contractTexts.done },
  ],
};

/** The same program with other variables. The case closes it. */
function clientWith(place: RigPlace, variables: Readonly<Record<string, string>>): AgentClient {
  return createClaudeClient(rigHost(place, { ...claudeVariables(place), ...variables }));
}

/** The same model, and a separate home. */
function ownHome({ place }: SuiteContext): RigPlace {
  const own = { ...place, root: mkdtempSync(join(place.root, "own-")) };
  mkdirSync(join(homeOf(own), ".claude"), { recursive: true });
  return own;
}

export const claudeCases: readonly OwnCase[] = [
  {
    name: "the SDK and its messages are what this program takes them for",
    async run() {
      assert.equal(await typeErrors(typeCheck), "");
    },
  },
  {
    name: "a turn is over when all its background sub-agents have reported",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, scenarioPrompt("background-agents", folder));
      assert.ok(existsSync(join(folder, "one.txt")) && existsSync(join(folder, "two.txt")));
      const started = ofType(events, "subagent.started");
      assert.deepEqual(
        started.map(({ isBackground }) => isBackground),
        [true, true],
      );
      assert.deepEqual(
        ofType(events, "subagent.finished").map(({ outcome }) => outcome),
        ["completed", "completed"],
      );
      assert.equal(end.text, afterAll);
      // The next turn is not mixed up with what came after the first result.
      const next = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(next.end.text, contractTexts.answer);
      assert.equal(next.end.usage.outputTokens, contractTexts.servedUsage.output);
      await session.close();
    },
  },
  {
    name: "an interrupt ends background sub-agents too, and the session continues",
    async run({ harness }) {
      await stopWhileToolRuns(harness, (folder) => scenarioPrompt("background-stuck", folder));
    },
  },
  {
    name: "a command in the background does not hold the turn, and ends with the session",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { end } = await completeTurn(session, scenarioPrompt("background-shell", folder));
      assert.equal(end.text, "The server runs.");
      await eventually("the server runs", () => processesOf(`${folder}/started`).length > 0);
      await completeTurn(session, harness.prompt("answer", folder));
      assert.ok(processesOf(`${folder}/started`).length > 0, "it runs on during the next turn");
      await session.close();
      await eventually("no process works in the folder", () => processesOf(folder).length === 0);
    },
  },
  {
    name: "the tokens of sub-agents are part of the turn, and of no other",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      // Two answers of the agent and two of its sub-agent, 100 tokens in and 25 out each.
      const { events, end } = await completeTurn(session, harness.prompt("subagent", folder));
      const calls = ofType(events, "usage.reported").map(({ usage }) => usage.inputTokens);
      assert.deepEqual(calls, [100, 100, 200], "the agent's calls as they are made, the sub-agent's at the end");
      assert.deepEqual(
        ofType(events, "context.measured").map(({ usedTokens }) => usedTokens),
        [125, 125],
      );
      assert.equal(end.usage.inputTokens, 400);
      assert.equal(end.usage.outputTokens, 100);
      await session.close();
      const resumed = await openSession(harness, folder, { resume: session.id });
      const next = await completeTurn(resumed, harness.prompt("answer", folder));
      assert.equal(next.end.usage.outputTokens, contractTexts.servedUsage.output, "a resumed session counts anew");
      assert.ok((next.end.usage.costUsd ?? 0) > 0);
      assert.ok((next.end.usage.costUsd ?? 0) < 0.003, `the turn's own cost, not ${next.end.usage.costUsd}`);
      await resumed.close();
    },
  },
  {
    name: "a model without a price has no cost",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder, { model: "house-model" });
      const { end } = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(end.usage.outputTokens, contractTexts.servedUsage.output);
      assert.equal(end.usage.costUsd, undefined);
      await session.close();
    },
  },
  {
    name: "a sub-agent that was defined for the session is started by its name",
    async run({ harness }) {
      const folder = harness.newFolder();
      const prompt = "You are the carpenter of this test.";
      const subagents = [{ name: "carpenter", description: "writes files", prompt, tools: ["Write"] }];
      const session = await openSession(harness, folder, { subagents });
      const { events } = await completeTurn(session, scenarioPrompt("named-agent", folder));
      assert.equal(ofType(events, "subagent.started")[0]?.name, "carpenter");
      const request = harness.requests()?.findLast(({ scenario }) => scenario === "subagent-one");
      assert.ok(JSON.stringify(request?.body).includes(prompt), "the sub-agent got its instructions");
      assert.deepEqual(request?.request?.tools, ["Write"], "and only its tools");
      await session.close();
    },
  },
  {
    name: "two questions at once are answered together, with several choices",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder, {
        onQuestion: () => ({ type: "answered", answers: [["Red", "Blue"], ["as large as a house"]] }),
      });
      const { events } = await completeTurn(session, scenarioPrompt("ask-two", folder));
      const { question } = ofType(events, "question.asked")[0] ?? {};
      assert.deepEqual(
        question?.items.map(({ text, isMultiple }) => [text, isMultiple]),
        [
          ["Which colours?", true],
          ["Which size?", false],
        ],
      );
      const heard = JSON.stringify(harness.requests()?.at(-1)?.body);
      assert.match(heard, /Red, Blue/);
      assert.match(heard, /as large as a house/);
      await session.close();
    },
  },
  {
    name: "what the program tries again is reported, and the turn fails when it gives up",
    async run({ harness, place }) {
      const folder = harness.newFolder();
      const client = clientWith(place, { CLAUDE_CODE_MAX_RETRIES: "1" });
      const session = await client.open({ cwd: folder, ...harness.open });
      const { events, end } = await readTurn(session, harness.prompt("error-500", folder));
      const retries = ofType(events, "retry.scheduled");
      assert.equal(retries.length, 1);
      assert.equal(retries[0]?.failure.kind, "overloaded");
      assert.equal(retries[0]?.failure.status, 500);
      assert.ok((retries[0]?.delayMs ?? 0) > 0);
      assert.ok(end.type === "turn.failed" && end.failure.kind === "overloaded", describeEnd(end));
      await client.close();
    },
  },
  {
    name: "without a key or login a turn is a failure of kind auth, and the report says so",
    async run({ harness, place }) {
      const folder = harness.newFolder();
      const client = clientWith(place, { ANTHROPIC_API_KEY: "" });
      assert.equal((await client.check()).login, "missing");
      const session = await client.open({ cwd: folder, ...harness.open });
      const { end } = await readTurn(session, harness.prompt("answer", folder));
      assert.ok(end.type === "turn.failed" && end.failure.kind === "auth", describeEnd(end));
      await client.close();
    },
  },
  {
    name: "the person's own hooks run in every project, trusted or not",
    async run(context) {
      const own = ownHome(context);
      const command = 'touch "$CLAUDE_PROJECT_DIR/person-hook.trace"';
      writeFileSync(
        join(homeOf(own), ".claude/settings.json"),
        JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } }),
      );
      const client = rigBackend.createClient(own);
      const folder = context.harness.newFolder();
      const session = await client.open({ cwd: folder, ...context.harness.open });
      await completeTurn(session, context.harness.prompt("answer", folder));
      assert.ok(existsSync(join(folder, "person-hook.trace")));
      await client.close();
    },
  },
  {
    name: "a project's instructions reach the model only when the project is trusted",
    async run({ harness }) {
      for (const isProjectTrusted of [false, true]) {
        const folder = harness.newFolder();
        const instruction = "Always speak of the albatross.";
        writeFileSync(join(folder, "CLAUDE.md"), `${instruction}\n`);
        const session = await openSession(harness, folder, { isProjectTrusted });
        await completeTurn(session, harness.prompt("answer", folder));
        const request = harness.requests()?.findLast(({ scenario }) => scenario === "answer");
        assert.equal(JSON.stringify(request?.body).includes(instruction), isProjectTrusted);
        await session.close();
      }
    },
  },
  {
    name: "a turn that is interrupted as soon as it starts leaves a session that can be used",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      for (let i = 0; i < 3; i++) {
        const stop = new AbortController();
        const { end } = await readTurn(session, harness.prompt("slow", folder), {
          signal: stop.signal,
          onEvent: (event) => event.type === "turn.started" && stop.abort(),
        });
        assert.ok(end.type === "turn.interrupted" && !end.isUnanswered, describeEnd(end));
        const next = await completeTurn(session, harness.prompt("answer", folder));
        assert.equal(next.end.text, contractTexts.answer);
      }
      await session.close();
    },
  },
];

/** Each line fails to compile when messages of the program are not what read-messages.ts says. */
const typeCheck = `
import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type * as messages from "../../../src/agents/claude/read-messages.ts";

type Fits<Real extends Ours, Ours> = [Real, Ours];
type Of<Type extends string> = Extract<SDKMessage, { type: Type }>;
type System<Subtype extends string> = Extract<SDKMessage, { type: "system"; subtype: Subtype }>;

export type Assistant = Fits<Of<"assistant">, messages.ClaudeAssistantMessage>;
export type User = Fits<Of<"user">, messages.ClaudeUserMessage>;
export type Stream = Fits<Omit<Of<"stream_event">, "event">, Omit<messages.StreamMessage, "event">>;
type Event<Type extends string> = Extract<Of<"stream_event">["event"], { type: Type }>;
export type Start = Fits<Event<"message_start">, messages.StreamStart>;
export type Block = Fits<Event<"content_block_start">, messages.StreamBlock>;
export type End = Fits<Event<"message_delta">, messages.StreamEnd>;
export type Delta = Fits<Event<"content_block_delta">, messages.StreamDelta>;
export type Result = Fits<Of<"result">, messages.ResultMessage>;
export type Limit = Fits<Of<"rate_limit_event">, messages.RateLimitMessage>;
export type State = Fits<System<"session_state_changed">, messages.StateMessage>;
export type Retry = Fits<System<"api_retry">, messages.RetryMessage>;
export type TaskStarted = Fits<System<"task_started">, messages.TaskStartedMessage>;
export type TaskEnded = Fits<System<"task_notification">, messages.TaskEndedMessage>;
export type Background = Fits<System<"background_tasks_changed">, messages.BackgroundMessage>;
export type Compacted = Fits<System<"compact_boundary">, messages.CompactedMessage>;
export type Status = Fits<System<"status">, messages.StatusMessage>;
export type Hook = Fits<System<"hook_response">, messages.HookMessage>;
export type Information = Fits<System<"informational">, messages.InformationMessage>;
export type CommandOutput = Fits<System<"local_command_output">, messages.CommandOutputMessage>;
export type Fallback = Fits<System<"model_refusal_fallback">, messages.RefusalMessage>;
export type NoFallback = Fits<System<"model_refusal_no_fallback">, messages.RefusalMessage>;
export type Init = Fits<System<"init">, messages.InitMessage>;
`;
