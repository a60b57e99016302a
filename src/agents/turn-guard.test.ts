import { expect, test } from "bun:test";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { BackendEvent, BackendSession, TurnResult } from "./backend-session.ts";
import { isTerminal, type TerminalEvent } from "./events.ts";
import { defaultTurnLimits } from "./limits.ts";
import { createTurnGuard } from "./turn-guard.ts";

/** The end of a turn in which the program reports these and then says that it is done. */
async function endOf(events: readonly BackendEvent[], result?: TurnResult): Promise<TerminalEvent> {
  const backendSession: BackendSession = {
    id: "s1",
    model: undefined,
    isSameModel: () => true,
    start(_, sink) {
      for (const event of events) sink.emit(event);
      sink.complete(result);
    },
    interrupt: () => {},
    abandon: () => {},
    compact: async () => ({}),
    contextUsage: async () => ({ usedTokens: 0 }),
    close: async () => {},
  };
  const guard = createTurnGuard({
    backendSession,
    prompt: "go",
    turn: {},
    turnId: "t1",
    agent: "probe",
    modelAsked: undefined,
    limits: defaultTurnLimits,
    clock: createFakeClock(),
    newId: () => "id",
    onQuestion: undefined,
    enqueue: (begin) => void begin(),
    onEnd: () => {},
  });
  const seen = await Array.fromAsync(guard.events);
  const end = seen.at(-1);
  if (end === undefined || !isTerminal(end)) throw new Error("the turn did not end");
  return end;
}

const text = (messageId: string, said: string): BackendEvent => ({ type: "text.delta", messageId, text: said });
const tool: BackendEvent = { type: "tool.started", toolCallId: "c1", name: "Bash", kind: "shell", input: null };

test.each<[string, readonly BackendEvent[], TurnResult?]>([
  ["without a word", []],
  ["after blanks", [text("m1", " \n"), text("m2", "\t")]],
  ["after blanks that it states as its final message", [], { text: "  " }],
  ["after reasoning alone", [{ type: "reasoning.delta", messageId: "m1", text: "Let me think." }]],
  ["after a notice and a model", [{ type: "model.served", model: "m" }]],
])("a turn that the program completes %s fails as invalid_output", async (_, events, result) => {
  const end = await endOf(events, result);
  expect(end).toMatchObject({ type: "turn.failed", failure: { kind: "invalid_output", retryable: true } });
});

test.each<[string, readonly BackendEvent[], TurnResult?]>([
  ["after text", [text("m1", "Done.")]],
  ["after text and a blank message", [text("m1", "Done."), text("m2", " ")]],
  ["with a final message that it states", [], { text: "Done." }],
  ["after a tool and no text", [tool]],
])("a turn that the program completes %s is completed", async (_, events, result) => {
  expect((await endOf(events, result)).type).toBe("turn.completed");
});

test("usage of nothing is not reported: the model's service did not count", async () => {
  const zeros = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const end = await endOf([{ type: "usage.reported", usage: zeros }, text("m1", "Done.")]);
  expect(end.usage).toEqual(zeros);
});
