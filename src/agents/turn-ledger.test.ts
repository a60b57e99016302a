import { expect, test } from "bun:test";
import { maxOutputChars } from "./clip.ts";
import type { PublishedEvent } from "./backend-session.ts";
import { createTurnLedger } from "./turn-ledger.ts";

function setUp() {
  const seen: PublishedEvent[] = [];
  const ledger = createTurnLedger((event) => seen.push(event));
  return {
    seen,
    ledger,
    brief: () =>
      seen.map(
        (event) =>
          `${event.type}${"toolCallId" in event ? ` ${event.toolCallId}` : ""}${event.agentId === undefined ? "" : ` @${event.agentId}`}`,
      ),
  };
}

test("what a sub-agent says before its start is reported after it, in order", () => {
  const { ledger, brief } = setUp();
  ledger.admit({ type: "tool.started", agentId: "a", toolCallId: "t", name: "Read", kind: "read", input: null }, 0);
  ledger.admit({ type: "text.delta", agentId: "a", messageId: "m", text: "x" }, 0);
  ledger.admit({ type: "text.delta", messageId: "n", text: "main" }, 0);
  ledger.admit(
    { type: "subagent.started", agentId: "a", parentId: undefined, name: "helper", task: "look", isBackground: false },
    0,
  );

  expect(brief()).toEqual(["text.delta", "subagent.started @a", "tool.started t @a", "text.delta @a"]);
});

test("a sub-agent that never starts still gets its row when the turn ends", () => {
  const { ledger, brief } = setUp();
  ledger.admit({ type: "text.delta", agentId: "ghost", messageId: "m", text: "x" }, 0);
  ledger.closeAll();

  expect(brief()).toEqual(["subagent.started @ghost", "text.delta @ghost", "subagent.finished @ghost"]);
});

test("a tool that only ends gets its start first; doubles of either are dropped", () => {
  const { ledger, brief } = setUp();
  const finished = {
    type: "tool.finished",
    toolCallId: "t",
    name: "bash",
    outcome: "ok",
    output: "",
    outputChars: 0,
  } as const;
  ledger.admit(finished, 0);
  ledger.admit(finished, 0);
  ledger.admit({ type: "tool.started", toolCallId: "t", name: "bash", kind: "shell", input: null }, 0);
  ledger.admit({ type: "tool.progressed", toolCallId: "t", output: "late" }, 0);

  expect(brief()).toEqual(["tool.started t", "tool.finished t"]);
});

test("the end of a sub-agent ends its tools, the end of the turn everything, children before parents", () => {
  const { ledger, seen, brief } = setUp();
  ledger.admit(
    { type: "subagent.started", agentId: "a", parentId: undefined, name: "one", task: "", isBackground: false },
    0,
  );
  ledger.admit({ type: "subagent.started", agentId: "b", parentId: "a", name: "two", task: "", isBackground: true }, 0);
  ledger.admit({ type: "tool.started", agentId: "b", toolCallId: "t", name: "bash", kind: "shell", input: null }, 0);
  seen.length = 0;
  ledger.closeAll();

  expect(brief()).toEqual(["tool.finished t @b", "subagent.finished @b", "subagent.finished @a"]);
  expect(seen[0]).toMatchObject({ outcome: "interrupted" });
});

test("tool output and input are clipped, and progress stops after its share", () => {
  const { ledger, seen } = setUp();
  const long = "x".repeat(maxOutputChars * 4);
  ledger.admit(
    { type: "tool.started", toolCallId: "t", name: "Write", kind: "write", input: { path: "a", content: long } },
    0,
  );
  for (let i = 0; i < 5; i++) ledger.admit({ type: "tool.progressed", toolCallId: "t", output: long }, 0);
  ledger.admit(
    { type: "tool.finished", toolCallId: "t", name: "Write", outcome: "ok", output: long, outputChars: long.length },
    0,
  );

  expect(seen.map((event) => event.type)).toEqual([
    "tool.started",
    "tool.progressed",
    "tool.progressed",
    "tool.finished",
  ]);
  expect(JSON.stringify(seen).length).toBeLessThan(5 * maxOutputChars);
  expect(seen.at(-1)).toMatchObject({ outputChars: long.length });
});

test("usage of sub-agents counts, their text and model do not", () => {
  const { ledger } = setUp();
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  ledger.admit(
    { type: "subagent.started", agentId: "a", parentId: undefined, name: "one", task: "", isBackground: false },
    0,
  );
  ledger.admit({ type: "text.delta", messageId: "m", text: "mine" }, 0);
  ledger.admit({ type: "text.delta", agentId: "a", messageId: "k", text: "its" }, 0);
  ledger.admit({ type: "model.served", agentId: "a", model: "small" }, 0);
  ledger.admit({ type: "usage.reported", agentId: "a", usage }, 0);
  ledger.admit({ type: "usage.reported", usage }, 0);

  expect(ledger.text).toBe("mine");
  expect(ledger.modelServed).toBeUndefined();
  expect(ledger.usage.inputTokens).toBe(2);
});

test("the changes of a call are counted before its input is clipped, and only if it succeeds", () => {
  const { ledger, seen } = setUp();
  const content = "line\n".repeat(maxOutputChars);
  const call = (toolCallId: string, outcome: "ok" | "failed"): void => {
    const input = { file_path: "a.txt", content };
    ledger.admit({ type: "tool.started", toolCallId, name: "Write", kind: "write", input }, 0);
    ledger.admit({ type: "tool.finished", toolCallId, name: "Write", outcome, output: "", outputChars: 0 }, 0);
  };
  call("good", "ok");
  call("bad", "failed");

  const changes = seen.map((event) => (event.type === "tool.finished" ? event.changes : undefined));
  expect(changes).toEqual([undefined, [{ path: "a.txt", added: maxOutputChars, removed: 0 }], undefined, undefined]);
});
