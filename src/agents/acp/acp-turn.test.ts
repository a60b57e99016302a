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

test("diffs that a tool call shows become the files that it changed, with their old lines", () => {
  const { say, events } = start();
  const diff = (path: string, oldText: string | null, newText: string) => ({ type: "diff", path, oldText, newText });
  const call = { toolCallId: "c", title: "Edit", kind: "edit" };
  say({ sessionUpdate: "tool_call", ...call, status: "pending" });
  const content = [diff("/p/a.ts", "one\ntwo\n", "one\n2\nthree\n"), diff("/p/b.ts", null, "new\n"), { type: "diff" }];
  say({ sessionUpdate: "tool_call_update", ...call, status: "in_progress", content });
  const done = [{ type: "content", content: { type: "text", text: "done" } }];
  say({ sessionUpdate: "tool_call_update", ...call, status: "completed", content: done });

  expect(events.at(-1)).toMatchObject({
    type: "tool.finished",
    output: "done",
    changes: [
      { path: "/p/a.ts", added: 2, removed: 1 },
      { path: "/p/b.ts", added: 1, removed: 0 },
    ],
  });
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
