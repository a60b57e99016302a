import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../agents/events.ts";
import { systemClock } from "../lib/clock.ts";
import { createRedactor } from "../lib/redact.ts";
import { AgentRecorder } from "./record-agents.ts";
import type { TranscriptFacts } from "./transcript-entry.ts";
import { findFailure, followTranscript, readTranscript } from "./transcript-reader.ts";
import { TranscriptWriter } from "./transcript-writer.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-transcript-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(root, `${++files}.jsonl`);

const said = (text: string): TranscriptFacts => ({ type: "said", turn: "t", text });

function textsIn(path: string): readonly string[] {
  return [...readTranscript(path)].map((entry) => (entry.type === "said" ? entry.text : entry.type));
}

function write(path: string, texts: readonly string[], more: { maxBytes?: number } = {}): void {
  const writer = new TranscriptWriter({ path, clock: systemClock, ...more });
  for (const text of texts) {
    writer.add(said(text));
    writer.flush();
  }
  writer.close();
}

test("a transcript is appended to, for this user only", () => {
  const path = newPath();
  write(path, ["a", "b"]);
  write(path, ["c"]);

  expect(textsIn(path)).toEqual(["a", "b", "c"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a torn tail is skipped, and what is written after it is read", () => {
  const path = newPath();
  write(path, ["a", "b"]);
  truncateSync(path, statSync(path).size - 5);
  write(path, ["c"]);

  expect(textsIn(path)).toEqual(["a", "c"]);
});

test("entries of a later version, forged ones and lines that are not JSON are left out", () => {
  const path = newPath();
  write(path, ["a"]);
  appendFileSync(path, '{"v":2,"at":1,"type":"said","turn":"t","text":"later"}\n');
  appendFileSync(path, '{"v":1,"at":"now","type":"said","turn":"t","text":"forged"}\n{"v":1,"at":1,"type":"said"}\n');
  appendFileSync(path, '\u0000\u0001nonsense\n[]\nnull\n{"v":1,"at":1,"type":"constructor"}\n');
  appendFileSync(path, `${"x".repeat(5 * 1024 * 1024)}\n`);
  write(path, ["b"]);

  expect(textsIn(path)).toEqual(["a", "b"]);
});

test("entries of one type are found, even where texts of others look like them", () => {
  const path = newPath();
  write(path, ["a", '"type":"said"', "b"]);
  appendFileSync(path, '{"v":1,"at":1,"type":"transcript.truncated","reason":"disk"}\n');

  expect([...readTranscript(path, { only: "said" })].map(({ type }) => type)).toEqual(["said", "said", "said"]);
  expect([...readTranscript(path, { only: "transcript.truncated" })]).toHaveLength(1);
});

test("a missing transcript, or a folder or link of that name, counts as empty", () => {
  const elsewhere = newPath();
  writeFileSync(elsewhere, "secret\n");
  const link = newPath();
  symlinkSync(elsewhere, link);
  write(link, ["a"]);

  expect([textsIn(newPath()), textsIn(root), textsIn(link)]).toEqual([[], [], []]);
  expect(readFileSync(elsewhere, "utf8")).toBe("secret\n");
});

test("a full disk loses entries, and nothing else", () => {
  const writer = new TranscriptWriter({ path: "/dev/full", clock: systemClock });
  for (let i = 0; i < 100; i++) writer.add(said("x".repeat(100_000)));
  writer.flush();
  writer.close();
});

test("a transcript is bounded: the oldest entries go", () => {
  const path = newPath();
  write(
    path,
    Array.from({ length: 100 }, (_, i) => `${i} ${"x".repeat(1000)}`),
    { maxBytes: 10_000 },
  );
  const texts = textsIn(path);

  expect(texts[0]).toBe("transcript.truncated");
  expect(texts.filter((text) => text === "transcript.truncated")).toHaveLength(1);
  expect(texts.at(-1)).toStartWith("99 ");
  expect(texts.length).toBeLessThan(30);
  expect(statSync(path).size).toBeLessThan(12_000);
});

test("a follower sees what is written, in order, even when a new file starts", async () => {
  const path = newPath();
  const writer = new TranscriptWriter({ path, clock: systemClock, maxBytes: 2_000 });
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const entry of followTranscript(path, systemClock, stop.signal)) {
      if (entry.type !== "said") continue;
      seen.push(entry.text);
      if (seen.length === 50) stop.abort();
    }
  })();
  for (let i = 0; i < 50; i++) {
    writer.add(said(`${i} ${"x".repeat(100)}`));
    if (i % 10 === 9) {
      writer.flush();
      while (seen.length <= i) await Bun.sleep(5);
    }
  }
  await following;
  writer.close();

  expect(seen.map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

const place = { node: "work", key: "work#1", task: "3", worker: 2, agent: "worker", backend: "x", prompt: "do it" };
const ids = { sessionId: "s", turnId: "t" };
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
const end = { ...ids, text: "done", modelAsked: "a", modelServed: "b", usage, durationMs: 5 };

function record(...events: readonly AgentEvent[]): readonly TranscriptFacts[] {
  const entries: TranscriptFacts[] = [];
  const recorder = new AgentRecorder((facts) => entries.push(facts), systemClock);
  for (const event of events) recorder.take({ place, event });
  return entries;
}

test("a turn becomes prompt, reasoning, messages, tools with their changes, and its end", () => {
  const entries = record(
    { type: "turn.started", ...ids, agent: "worker", modelAsked: "a" },
    { type: "reasoning.delta", ...ids, messageId: "m", text: "first " },
    { type: "reasoning.delta", ...ids, messageId: "m", text: "look" },
    { type: "text.delta", ...ids, messageId: "m", text: "I wri" },
    { type: "message.finished", ...ids, messageId: "m", text: "I write" },
    {
      type: "tool.started",
      ...ids,
      toolCallId: "c",
      name: "Edit",
      kind: "write",
      input: { file_path: "a.ts", old_string: "x", new_string: "y\nz" },
    },
    { type: "tool.finished", ...ids, toolCallId: "c", name: "Edit", outcome: "ok", output: "ok", outputChars: 2 },
    { type: "turn.completed", ...end },
  );

  expect(entries).toMatchObject([
    { type: "turn.started", turn: "t", task: "3", worker: 2, node: "work", prompt: "do it", modelAsked: "a" },
    { type: "thought", text: "first look" },
    { type: "said", text: "I write" },
    { type: "tool.started", call: "c", name: "Edit", input: { file_path: "a.ts" } },
    {
      type: "tool.finished",
      call: "c",
      outcome: "ok",
      output: "ok",
      changes: [{ path: "a.ts", added: 2, removed: 1 }],
    },
    { type: "turn.finished", outcome: "completed", answer: "done", modelServed: "b", changes: [{ path: "a.ts" }] },
  ]);
});

test("ten megabytes in one tool result become a clipped entry that is read back", () => {
  const path = newPath();
  const output = "x".repeat(10 * 1024 * 1024);
  const writer = new TranscriptWriter({ path, clock: systemClock });
  const facts = record(
    { type: "tool.started", ...ids, toolCallId: "c", name: "Bash", kind: "shell", input: { command: output } },
    { type: "tool.finished", ...ids, toolCallId: "c", name: "Bash", outcome: "ok", output, outputChars: output.length },
  );
  for (const each of facts) writer.add(each);
  writer.close();

  expect(statSync(path).size).toBeLessThan(20_000);
  expect([...readTranscript(path)].at(-1)).toMatchObject({ type: "tool.finished", outputChars: output.length });
});

test("secrets are masked anywhere in an entry", () => {
  const path = newPath();
  const redact = createRedactor({ MY_TOKEN: "s3cr3t-value" });
  const writer = new TranscriptWriter({ path, clock: systemClock, redact });
  writer.add(said("it is s3cr3t-value"));
  writer.add({
    type: "tool.started",
    turn: "t",
    call: "c",
    name: "x",
    kind: "other",
    input: { deep: ["s3cr3t-value"] },
  });
  writer.add({ type: "node.failed", node: "n", key: "n#1", attempt: 1, message: "m", stack: "at s3cr3t-value" });
  writer.close();

  expect(readFileSync(path, "utf8")).not.toContain("s3cr3t");
  expect(findFailure(path, { key: "n#1", attempt: 1 })?.stack).toBe("at [masked MY_TOKEN]");
});

test("entries of a span of time are found in a long transcript, also in the part before it", () => {
  const path = newPath();
  let now = 0;
  const clock = { ...systemClock, now: () => now };
  const writer = new TranscriptWriter({ path, clock, maxBytes: 3 * 1024 * 1024 });
  for (now = 1; now <= 5000; now++) {
    writer.add(said(`${now} ${"x".repeat(1000)}`));
    if (now % 100 === 0) writer.flush();
  }
  writer.close();
  appendFileSync(path, "{torn");
  const found = (since: number, until?: number) =>
    [...readTranscript(path, { since, until })].filter(({ type }) => type === "said").map(({ at }) => at);

  expect(found(1234, 1236)).toEqual([1234, 1235, 1236]);
  expect(found(4998)).toEqual([4998, 4999, 5000]);
  expect(found(2900, 3200)).toHaveLength(301);
  expect(found(-5, 2)).toEqual([1, 2]);
  expect(found(6000)).toEqual([]);
});

test("a tool input of millions of short texts becomes one bounded entry that says so", () => {
  const path = newPath();
  const writer = new TranscriptWriter({ path, clock: systemClock });
  const input = { file_path: "a.ts", edits: Array.from({ length: 300_000 }, (_, i) => ({ old_string: `${i}` })) };
  const changes = Array.from({ length: 50_000 }, (_, i) => ({ path: `src/file-${i}.ts`, added: 2, removed: 1 }));
  const name = "x".repeat(10_000_000);
  const finished = { toolCallId: "c", name, outcome: "ok", output: "", outputChars: 0, changes } as const;
  const facts = record(
    { type: "tool.started", ...ids, toolCallId: "c", name, kind: "write", input },
    { type: "tool.finished", ...ids, ...finished },
    { type: "turn.completed", ...end },
  );
  for (const each of facts) writer.add(each);
  writer.close();

  const [started, tool, last] = [...readTranscript(path)];
  expect(statSync(path).size).toBeLessThan(400_000);
  expect(JSON.stringify(started)).toContain("more left out");
  const lists = [
    tool?.type === "tool.finished" ? tool.changes : [],
    last?.type === "turn.finished" ? last.changes : [],
  ];
  for (const list of lists) {
    expect(list?.at(-1)?.path).toMatch(/^… \d+ more$/);
    expect(list?.reduce((sum, { added }) => sum + added, 0)).toBe(100_000);
  }
});

test("an entry that is too long is left out with a note of the true reason", () => {
  const path = newPath();
  write(path, ["a", "x".repeat(5_000_000), "é".repeat(600_000), "b"]);

  expect(textsIn(path)).toEqual(["a", "transcript.truncated", "transcript.truncated", "b"]);
  expect([...readTranscript(path, { only: "transcript.truncated" })]).toMatchObject([
    { reason: "length" },
    { reason: "length" },
  ]);
});

test("many entries at once are all written: nothing is lost while the disk takes them", () => {
  const path = newPath();
  const writer = new TranscriptWriter({ path, clock: systemClock });
  for (let i = 0; i < 60; i++) writer.add(said("x".repeat(100_000)));
  writer.close();

  expect(textsIn(path)).toHaveLength(60);
  expect(textsIn(path)).not.toContain("transcript.truncated");
});

test("a failure is found by its attempt, also when a new file was started right after it", () => {
  const path = newPath();
  const writer = new TranscriptWriter({ path, clock: systemClock, maxBytes: 10_000 });
  const failed = (key: string, attempt: number, stack: string): void =>
    writer.add({ type: "node.failed", node: "n", key, attempt, message: "m", stack });
  failed("n#1", 1, "first try");
  failed("n#1", 2, "second try");
  writer.add(said("x".repeat(11_000)));
  writer.flush();
  failed("n#2", 1, "another visit");
  writer.close();

  expect(findFailure(path, { key: "n#1", attempt: 2 })?.stack).toBe("second try");
  expect(findFailure(path, { key: "n#2", attempt: 1 })?.stack).toBe("another visit");
  expect(findFailure(path, { key: "n#3", attempt: 1 })).toBeUndefined();
});
