import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../../agents/events.ts";
import { noUsage } from "../../agents/usage.ts";
import { systemClock } from "../../lib/clock.ts";
import { readTranscript } from "../../transcript/transcript-reader.ts";
import { openTranscript, type RunTranscript } from "./run-transcript.ts";

const place = { node: "work", key: "work#1", task: "3", worker: 2, agent: "worker", backend: "x", prompt: "do it" };
const ids = { sessionId: "s", turnId: "t" };
const started: AgentEvent = { type: "turn.started", ...ids, agent: "worker", modelAsked: undefined };
const tool = (call: string): readonly AgentEvent[] => [
  { type: "tool.started", ...ids, toolCallId: call, name: "Bash", kind: "shell", input: { command: `run ${call}` } },
  { type: "tool.finished", ...ids, toolCallId: call, name: "Bash", outcome: "ok", output: "ok", outputChars: 2 },
];

interface Opened extends Disposable {
  readonly path: string;
  readonly transcript: RunTranscript;
  /** The next event happens one second after the one before. */
  happen(...events: readonly AgentEvent[]): void;
}

function open(recordedAt?: () => number): Opened {
  const root = mkdtempSync(join(tmpdir(), "run-transcript-"));
  const path = join(root, "transcript.jsonl");
  let now = 0;
  const transcript = openTranscript({ transcript: path }, { clock: { ...systemClock, now: () => now }, recordedAt });
  return {
    path,
    transcript,
    happen(...events) {
      for (const event of events) {
        now += 1000;
        transcript.onAgent({ place, event });
      }
    },
    [Symbol.dispose]() {
      transcript.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

test("entries that are written together have the times at which they happened", () => {
  using opened = open();
  opened.happen(started, ...tool("a"));
  opened.transcript.flush();

  const entries = [...readTranscript(opened.path)];
  expect(entries.map(({ at }) => at)).toEqual([1000, 2000, 3000]);
  expect(entries.at(-1)).toMatchObject({ type: "tool.finished", durationMs: 1000 });
});

test("the live view is that of this moment, before anything is written", () => {
  using opened = open();
  const [begin, end] = tool("a") as [AgentEvent, AgentEvent];
  opened.happen(started, begin);
  const during = opened.transcript.live;
  const again = opened.transcript.live;
  opened.happen(end);

  expect(during.get("t")?.agents.get("")?.tools).toMatchObject([{ call: "a", title: "run a", startedAt: 2000 }]);
  expect(again).toBe(during);
  expect(opened.transcript.live.get("t")?.agents.get("")).toMatchObject({ tools: [], toolsEnded: 1 });
});

test("the live view counts what happened while it was not looked at", () => {
  using opened = open();
  opened.happen(started);
  for (let i = 0; i < 100; i++) opened.happen(...tool(`call ${i}`));

  expect(opened.transcript.live.get("t")?.agents.get("")?.toolsEnded).toBe(100);
});

test("a turn that ends before the live view is looked at leaves no trace in it, and one that was seen is gone", () => {
  using opened = open();
  const model = { modelAsked: "m", modelServed: "m" };
  const end: AgentEvent = { type: "turn.completed", ...ids, text: "", ...model, usage: noUsage, durationMs: 1 };
  const nothing = opened.transcript.live;
  opened.happen(started, ...tool("a"), end);
  expect(opened.transcript.live).toBe(nothing);

  opened.happen(started, ...tool("b"));
  expect(opened.transcript.live.size).toBe(1);
  opened.happen(...tool("c"), end);
  expect(opened.transcript.live.size).toBe(0);
});

test("a node that throws is recorded after what its agent did, and at once", () => {
  using opened = open();
  opened.happen(started, ...tool("a"));
  opened.transcript.onNodeError({ node: "work", key: "work#1", attempt: 1, error: new Error("broken") });

  expect([...readTranscript(opened.path)].map(({ type }) => type)).toEqual([
    "turn.started",
    "tool.started",
    "tool.finished",
    "node.failed",
  ]);
});

test("no entry is older than the run's last record or the entry before it, and tools still take their time", () => {
  let recordedAt = 50_000;
  using opened = open(() => recordedAt);
  opened.happen(started);
  recordedAt = 51_000;
  opened.happen(...tool("a"));
  recordedAt = 500;
  opened.happen(...tool("b"));
  opened.transcript.onNodeError({ node: "work", key: "work#1", attempt: 1, error: new Error("broken") });

  const entries = [...readTranscript(opened.path)];
  expect(entries.map(({ at }) => at)).toEqual([50_000, ...Array.from({ length: 5 }, () => 51_000)]);
  expect(entries.find(({ type }) => type === "tool.finished")).toMatchObject({ durationMs: 1000 });
});
