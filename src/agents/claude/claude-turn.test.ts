// Messages that the real program rarely sends. Ordinary ones are tested with it, in tests/agents.

import { expect, test } from "bun:test";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createRecordingSink } from "../../testing/recording-sink.ts";
import type { BackendEvent } from "../backend-session.ts";
import { createClaudeTurn, type ClaudeTurn, type ClaudeTurnOptions } from "./claude-turn.ts";
import type { ClaudeModelUsage } from "./model-usage.ts";
import { isKnownMessage } from "./read-messages.ts";
import { createUsageMeter } from "./usage-meter.ts";

const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

function start(askTotals?: ClaudeTurnOptions["askTotals"]): {
  turn: ClaudeTurn;
  say: (message: object) => void;
  events: BackendEvent[];
  ends: unknown[];
  again: () => number;
} {
  const { sink, events, ends } = createRecordingSink();
  let again = 0;
  const turn = createClaudeTurn({
    sink,
    promptId: "mine",
    meter: createUsageMeter(),
    askTotals,
    clock: createFakeClock(),
    interruptAgain: () => again++,
  });
  const say = (message: object): void => turn.read(isKnownMessage(message) ? message : undefined);
  return { turn, say, events, ends, again: () => again };
}

const result = (facts: object = {}): object => ({
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 1,
  result: "done",
  usage,
  modelUsage: {},
  user_message_uuids: ["mine"],
  ...facts,
});
const state = (name: string): object => ({ type: "system", subtype: "session_state_changed", state: name });
const tasks = (...types: string[]): object => ({
  type: "system",
  subtype: "background_tasks_changed",
  tasks: types.map((task_type) => ({ task_type })),
});
const invented = (error: string, text: string): object => ({
  type: "assistant",
  parent_tool_use_id: null,
  error,
  message: { id: "m", model: "<synthetic>", content: [{ type: "text", text }] },
});

test("a turn ends with the first idle state after the result of its prompt", () => {
  const { say, ends } = start();
  say(state("running"));
  // The end of something that started before the prompt.
  say(result({ user_message_uuids: undefined }));
  say(state("idle"));
  expect(ends).toEqual([]);
  say(result());
  expect(ends).toEqual([]);
  say(state("idle"));
  expect(ends).toEqual(["completed"]);
});

test("a turn of a program that reports no states ends with its result, once no background sub-agent is left", () => {
  const { say, ends } = start();
  say(tasks("local_agent", "local_bash"));
  say(result());
  expect(ends).toEqual([]);
  say(tasks("local_bash"));
  say(result({ user_message_uuids: undefined }));
  expect(ends).toEqual(["completed"]);
});

test("a limit reported as an answer is a failure, with its reset time", () => {
  const { say, events, ends } = start();
  say(state("running"));
  say({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_800_000_000 } });
  say(invented("rate_limit", "You've hit your limit"));
  say(result({ result: "You've hit your limit" }));
  say(state("idle"));
  expect(ends).toMatchObject([{ kind: "rate_limited", resetAt: 1_800_000_000_000 }]);
  expect(events.filter(({ type }) => type === "message.finished" || type === "model.served")).toEqual([]);
});

test("a limit that comes near is announced", () => {
  const { say, events } = start();
  const rate_limit_info = { status: "allowed_warning", utilization: 0.9, rateLimitType: "five_hour" };
  say({ type: "rate_limit_event", rate_limit_info });
  expect(events).toEqual([
    { type: "notice.raised", level: "warning", message: "The account has used 90 % of its five hour limit." },
  ]);
});

test("an interrupt that came before the program took the prompt is repeated when it does", () => {
  const { turn, say, ends, again } = start();
  turn.interrupt();
  say({ type: "system", subtype: "init" });
  expect(again()).toBe(1);
  say(state("running"));
  say(
    result({
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason: "aborted_streaming",
      result: undefined,
    }),
  );
  say(state("idle"));
  expect(ends).toEqual(["interrupted"]);
});

test("a message that is not what its type says fails the turn as invalid output", () => {
  const { say, ends } = start();
  say({ type: "assistant" });
  expect(ends).toMatchObject([{ kind: "invalid_output" }]);
});

test("the lines that a Write over a file removed are counted as the program reports them", () => {
  const { say, events } = start();
  const written = (...ids: string[]): object => ({
    type: "user",
    parent_tool_use_id: null,
    message: { content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "updated" })) },
    tool_use_result: {
      type: "update",
      filePath: "/p/a.txt",
      structuredPatch: [{ lines: [" one", "-two", "-three", "+2"] }, { lines: ["+end", 7] }, null],
    },
  });
  say(written("a"));
  say(written("b", "c"));
  say({ ...written("d"), tool_use_result: { type: "create", filePath: "/p/b.txt", structuredPatch: [] } });
  say({ ...written("e"), tool_use_result: "Error: no such file" });

  const changes = events.map((event) => (event.type === "tool.finished" ? event.changes : undefined));
  expect(changes[0]).toEqual([{ path: "/p/a.txt", added: 2, removed: 2 }]);
  expect(changes.slice(1)).toEqual([undefined, undefined, undefined, undefined]);
});

test("messages that are not known change nothing", () => {
  const { say, events, ends } = start();
  for (const message of [{}, { type: "new_thing" }, { type: "system" }, { type: "system", subtype: "new_thing" }])
    say(message);
  expect([...events, ...ends]).toEqual([]);
});

test("an interrupt that comes too late leaves the turn completed, unless sub-agents were at work in the background", () => {
  const clean = result({ terminal_reason: "completed" });
  const late = start();
  late.say(state("running"));
  late.turn.interrupt();
  late.say(clean);
  late.say(state("idle"));
  expect(late.ends).toEqual(["completed"]);

  const background = start();
  background.say(tasks("local_agent"));
  background.say(clean);
  background.turn.interrupt();
  background.say(tasks());
  background.say(state("idle"));
  expect(background.ends).toEqual(["interrupted"]);
});

test("the cost of a call is asked for once at a time, and again for a call that was reported meanwhile", async () => {
  const answers: ((costUSD: number) => void)[] = [];
  const askTotals = (): Promise<Record<string, ClaudeModelUsage>> =>
    new Promise((resolve) =>
      answers.push((costUSD) =>
        resolve({
          m: {
            inputTokens: 0,
            outputTokens: 0,
            cacheReadInputTokens: 0,
            cacheCreationInputTokens: 0,
            contextWindow: 1,
            costUSD,
          },
        }),
      ),
    );
  const { say, events } = start(askTotals);
  const stream = (event: object): object => ({ type: "stream_event", event, parent_tool_use_id: null });
  const call = (id: string): void => {
    say(stream({ type: "message_start", message: { id, model: "m", usage: { input_tokens: 1 } } }));
    say(stream({ type: "message_delta", usage: { output_tokens: 1 } }));
  };
  call("a");
  call("b");
  expect(answers).toHaveLength(1);
  answers[0]?.(0.25);
  await Bun.sleep(0);
  expect(answers).toHaveLength(2);
  answers[1]?.(0.5);
  await Bun.sleep(0);
  const costs = events.flatMap((event) => (event.type === "usage.reported" ? (event.usage.costUsd ?? []) : []));
  expect(costs).toEqual([0.25, 0.25]);
});
