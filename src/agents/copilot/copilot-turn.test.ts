import { expect, test } from "bun:test";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { BackendEvent, TurnSink } from "../backend-session.ts";
import type { TurnFailure } from "../failures.ts";
import { createCopilotTurn } from "./copilot-turn.ts";
import type { Fields } from "../fields.ts";

interface Recorded {
  readonly events: BackendEvent[];
  end: "completed" | "interrupted" | TurnFailure | undefined;
}

function play(options: { readonly isOnlyBackgroundLeft?: boolean } = {}) {
  const recorded: Recorded = { events: [], end: undefined };
  let aborts = 0;
  let asked = 0;
  const clock = createFakeClock();
  const sink: TurnSink = {
    turnId: "t",
    signal: new AbortController().signal,
    get isOver() {
      return recorded.end !== undefined;
    },
    emit: (event) => void recorded.events.push(event),
    touch: () => {},
    ask: async () => ({ type: "declined", reason: "declined" }),
    complete: () => void (recorded.end ??= "completed"),
    fail: (failure) => void (recorded.end ??= failure),
    interrupted: () => void (recorded.end ??= "interrupted"),
    streamEnded: () => {},
  };
  const turn = createCopilotTurn({
    sink,
    prompt: "do it",
    clock,
    isOnlyBackgroundLeft: async () => {
      asked++;
      return options.isOnlyBackgroundLeft ?? false;
    },
    abortAgain: () => aborts++,
  });
  const say = (type: string, data: Fields = {}, agentId?: string): void => turn.read({ type, data, agentId });
  return { turn, say, recorded, clock, aborts: () => aborts, asked: () => asked };
}

test("a turn ends with the idle after its own prompt, not with one before it", () => {
  const { turn, say, recorded } = play();
  say("session.idle");
  turn.sent("mine");
  say("session.idle");
  say("user.message", { messageId: "another" });
  say("assistant.message", { messageId: "m", content: "what nobody asked" });
  say("session.idle");
  expect(recorded.end).toBeUndefined();
  expect(recorded.events).toEqual([]);

  say("user.message", { messageId: "mine" });
  say("assistant.message", { messageId: "n", content: "the answer", model: "gpt-5" });
  say("session.idle", {});

  expect(recorded.end).toBe("completed");
  expect(recorded.events.map(({ type }) => type)).toEqual(["model.served", "message.finished"]);
});

test("a turn reads what came before the id of its prompt", () => {
  const { turn, say, recorded } = play();
  say("user.message", { messageId: "mine" });
  say("assistant.message", { messageId: "m", content: "quick" });
  say("session.idle");
  expect(recorded.end).toBeUndefined();

  turn.sent("mine");

  expect(recorded.end).toBe("completed");
});

test("text is shown before the id of the prompt is known, and the end waits for it", () => {
  const { turn, say, recorded } = play();
  say("session.idle");
  say("user.message", { messageId: "mine", content: "do it" });
  say("assistant.message_delta", { messageId: "m", deltaContent: "at once" });
  expect(recorded.events).toMatchObject([{ type: "text.delta", text: "at once" }]);

  say("session.idle");
  say("assistant.message_delta", { messageId: "m", deltaContent: "after it" });
  expect(recorded.end).toBeUndefined();
  expect(recorded.events).toHaveLength(1);

  turn.sent("mine");
  expect(recorded.end).toBe("completed");
});

test("of two prompts with the same text the turn's own is found by its id", () => {
  const { turn, say, recorded } = play();
  say("user.message", { messageId: "earlier", content: "do it" });
  say("user.message", { messageId: "mine", content: "do it" });
  turn.sent("mine");
  say("session.idle");
  expect(recorded.end).toBe("completed");
});

test("another prompt with the same text ends nothing", () => {
  const { turn, say, recorded } = play();
  say("user.message", { messageId: "earlier", content: "do it" });
  say("session.idle", { aborted: true });
  turn.sent("mine");
  expect(recorded.end).toBeUndefined();

  say("user.message", { messageId: "mine", content: "do it" });
  say("session.idle");
  expect(recorded.end).toBe("completed");
});

test("a turn fails with the error before its end, unless the program got over it", () => {
  const failing = play();
  failing.turn.sent("mine");
  failing.say("user.message", { messageId: "mine" });
  failing.say("session.error", { errorType: "rate_limit", message: "slow down", statusCode: 429 });
  failing.say("session.idle");
  expect(failing.recorded.end).toMatchObject({ kind: "rate_limited", status: 429 });

  const recovering = play();
  recovering.turn.sent("mine");
  recovering.say("user.message", { messageId: "mine" });
  recovering.say("session.error", { errorType: "rate_limit", message: "slow down" });
  recovering.say("assistant.turn_start");
  recovering.say("session.idle");
  expect(recovering.recorded.end).toBe("completed");
});

test("a turn whose prompt was refused before it was taken up fails", () => {
  const { turn, say, recorded } = play();
  turn.sent("mine");
  say("session.error", { errorType: "query", message: "No GitHub OAuth token or Copilot HMAC key provided" });
  say("session.idle");

  expect(recorded.end).toMatchObject({ kind: "auth", retryable: false });
});

test("an error and an idle of a sub-agent are not the turn's", () => {
  const { turn, say, recorded } = play();
  turn.sent("mine");
  say("user.message", { messageId: "mine" });
  say("session.error", { errorType: "query", message: "its own trouble" }, "child");
  say("session.idle", {}, "child");
  expect(recorded.end).toBeUndefined();

  say("session.idle");
  expect(recorded.end).toBe("completed");
});

test("a turn with nothing left but a command in the background ends when the agent is idle", async () => {
  const { turn, say, recorded, clock } = play({ isOnlyBackgroundLeft: true });
  turn.sent("mine");
  say("user.message", { messageId: "mine" });
  say("assistant.turn_start");
  say("assistant.idle");
  say("assistant.turn_start");
  await clock.advance(1000);
  expect(recorded.end).toBeUndefined();

  say("assistant.idle");
  await clock.advance(1000);
  expect(recorded.end).toBe("completed");
});

test("a session that comes to rest with its agent is asked nothing", async () => {
  const { turn, say, recorded, clock, asked } = play();
  turn.sent("mine");
  say("user.message", { messageId: "mine" });
  say("assistant.idle");
  say("session.idle");
  await clock.advance(1000);
  expect(recorded.end).toBe("completed");
  expect(asked()).toBe(0);
});

test("a turn that is stopped while its prompt waits asks again when it is taken up", () => {
  const { turn, say, recorded, aborts } = play();
  turn.sent("mine");
  turn.interrupt();
  say("user.message", { messageId: "mine" });
  expect(aborts()).toBe(1);

  say("session.idle", { aborted: true });
  expect(recorded.end).toBe("interrupted");
});

test("a command that failed is a failed tool, and its output is without the program's own line", () => {
  const { turn, say, recorded } = play();
  turn.sent("mine");
  say("user.message", { messageId: "mine" });
  say("tool.execution_start", { toolCallId: "c", toolName: "bash", arguments: { command: "false" } });
  say("tool.execution_complete", {
    toolCallId: "c",
    success: true,
    shellExecution: { exitCode: 3 },
    result: { content: "it goes wrong\n<shellId: 0 completed with exit code 3>" },
  });

  expect(recorded.events.at(-1)).toMatchObject({
    type: "tool.finished",
    name: "bash",
    outcome: "failed",
    output: "it goes wrong",
    exitCode: 3,
  });
});

test("a turn takes events of any shape without failing", () => {
  const { turn, say, recorded } = play();
  turn.sent("mine");
  say("user.message", { messageId: "mine" });
  for (const type of ["tool.execution_start", "tool.execution_complete", "assistant.usage", "subagent.started"])
    say(type, { toolCallId: 7, arguments: "x", result: [], agentName: null });
  say("session.idle");

  expect(recorded.end).toBe("completed");
});
