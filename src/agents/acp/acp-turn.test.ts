// Updates and answers that the protocol does not know. Ordinary ones are tested with whole agents, in acp-client.test.ts.

import { expect, test } from "bun:test";
import { createRecordingSink } from "../../testing/recording-sink.ts";
import type { BackendEvent } from "../backend-session.ts";
import { createAcpCapabilities } from "./acp-capabilities.ts";
import { createAcpTurn, type AcpTurn } from "./acp-turn.ts";

function start(): { turn: AcpTurn; say: (update: object) => void; events: BackendEvent[]; ends: unknown[] } {
  const { sink, events, ends } = createRecordingSink();
  const turn = createAcpTurn({
    sink,
    sessionId: "s",
    now: () => 0,
    capabilities: createAcpCapabilities(),
    costBefore: undefined,
    usageBefore: undefined,
    marksRemarks: false,
  });
  return { turn, say: (update) => turn.read("s", { ...update }), events, ends };
}

test("updates that are not known change nothing", () => {
  const { say, events, ends } = start();
  for (const update of [{}, { sessionUpdate: "new_thing" }, { sessionUpdate: 7 }]) say(update);
  expect([...events, ...ends]).toEqual([]);
});

test("updates that are not what their type says neither end the turn nor report anything", () => {
  const { say, events, ends } = start();
  const types = ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "usage_update"];
  for (const sessionUpdate of [...types, "subagent_update"]) {
    say({ sessionUpdate });
    say({ sessionUpdate, content: "text", toolCallId: 7, used: "many", cost: [], sessionId: null, state: "idle" });
  }
  expect([...events, ...ends]).toEqual([]);
});

test("an error that says nothing, or nothing that is known, fails the turn as something that may pass", () => {
  const failed = (error: { message: string; data?: unknown }): unknown => {
    const { turn, ends } = start();
    turn.answered({ error: { code: 7, data: undefined, ...error } });
    return ends;
  };
  const unknown = { kind: "crashed", retryable: true };

  expect(failed({ message: "" })).toEqual([{ ...unknown, message: "The agent reported a failure without a text." }]);
  expect(failed({ message: "flux capacitor" })).toEqual([{ ...unknown, message: "flux capacitor" }]);
  expect(failed({ message: "", data: { errorKind: "new_thing" } })).toEqual([{ ...unknown, message: "new_thing" }]);
  expect(failed({ message: "Internal error", data: [7, null, ["flux", { at: "dawn" }]] })).toEqual([
    { ...unknown, message: "flux dawn" },
  ]);
});
