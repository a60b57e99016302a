// Mission control with plain values: lanes, spine, the line of time, an opened step; and that the past looks as it did.

import { expect, test } from "bun:test";
import type { Json } from "../../lib/json.ts";
import { lineText } from "../rows/line.ts";
import { activityBars, nextActivity, noActivity } from "./activity.ts";
import { bodyLines, headLine, taskLines, waitLine } from "./control-lines.ts";
import { inspectLines, type InspectTab } from "./inspect.ts";
import { lanesOf } from "./lanes.ts";
import { lookAt } from "./look-at.ts";
import { RunRecording } from "./recording.ts";
import { emptyMoment, nextMoment } from "./run-facts.ts";
import { sampleRun, sampleStart } from "../../../tests/support/tui/sample-run.ts";
import { scrub, timeBarLine } from "./time-bar.ts";
import type { WatchedRun } from "./watch-run.ts";

const sample = sampleRun();

function watched(count = sample.events.length): WatchedRun {
  const events = new RunRecording(emptyMoment(sample.id), nextMoment);
  for (const event of sample.events.slice(0, count)) events.push(event);
  const last = sample.events[count - 1]?.at ?? 0;
  const transcript = new RunRecording(noActivity, nextActivity);
  for (const entry of sample.transcript) if (count === sample.events.length || entry.at <= last) transcript.push(entry);
  const marks = sample.events
    .slice(0, count)
    .filter(({ type }) => type === "node.started")
    .map(({ seq }) => ({ seq, kind: "node" as const }));
  return {
    id: sample.id,
    events,
    transcript,
    status: "running",
    present: undefined,
    isRead: true,
    marks,
    problem: undefined,
  };
}

function shown(run: WatchedRun, seq: number | undefined, now?: number): readonly string[] {
  const seen = lookAt(run, seq);
  const at = now ?? seen.at;
  const lanes = lanesOf(seen.moment, seen.activity, at);
  return [
    headLine({ moment: seen.moment, status: "running", isLive: true, now: at }, 110),
    ...bodyLines({ moment: seen.moment, lanes, selected: undefined, now: at }, 110, 20),
    ...taskLines(seen.moment, undefined, 100, 20),
  ].map(lineText);
}

test("the past looks as it did live: every pane, after every event", () => {
  const whole = watched();
  for (const { seq } of sample.events) expect(shown(whole, seq)).toEqual(shown(watched(seq), undefined));
});

test("a lane per worker: tool, time, cost, change, what it asks, why it failed; sub-agents below", () => {
  const { moment, activity } = lookAt(watched(), undefined);
  const lanes = lanesOf(moment, activity, sample.now);

  expect(lanes.map(({ name, state, doing }) => [name, state, doing])).toEqual([
    ["3 retry", "working", "Bash npm test"],
    ["4 cache 日本語の名前", "working", "Edit src/c.ts"],
    ["5 schema", "asks", "asks you"],
    ["6 old API", "failed", "the API is gone"],
  ]);
  expect(lanes[0]).toMatchObject({ costUsd: 0.41, added: 88, removed: 12 });
  expect(lanes[0]?.agents).toMatchObject([{ name: "debugger", doing: "Grep timeout", depth: 0 }]);
});

test("the spine has the nodes of the graph without what only routes, the current one lit, workers counted", () => {
  const lines = shown(watched(), undefined);

  const spine = lines.slice(1).map((line) => line.slice(0, 12).trimEnd());
  expect(spine).toContain("● plan");
  expect(spine).toContain("◉ work ×3");
  expect(spine).toContain("○ report");
  expect(spine.join("\n")).not.toContain("if#1");
});

test("what is done and what waits is packed below, with open blockers only", () => {
  expect(shown(watched(), undefined).join("\n")).toContain("✓ 1  ✓ 2  ○ 7 needs 3, 4");
});

test("the head shows progress, rounds, and what was spent of the limit", () => {
  expect(shown(watched(), undefined)[0]).toMatch(
    /^ralph a1b2c3d4 {3}Working on the tasks {3}2\/7 {3}\$1\.01 of \$5 .* live$/,
  );
});

test("what it waits for is said, and until when", () => {
  const keys = { answer: "a", resume: "r" };
  const limit = [["limit.waiting", { until: sampleStart + 1_740_000, kind: "rate_limited" }]] as const;
  const run = sampleRun({ extra: limit });
  const events = new RunRecording(emptyMoment(run.id), nextMoment);
  for (const event of run.events.filter(({ type }) => type !== "question.asked")) events.push(event);
  const facts = { moment: events.view, status: "running", isLive: true, now: run.now } as const;

  expect(lineText(waitLine(facts, keys, 80) ?? [])).toContain("⧗ waits for a rate limit until 14:20");
  const asking = { ...facts, moment: lookAt(watched(), undefined).moment };
  expect(lineText(waitLine(asking, keys, 80) ?? [])).toBe("? Which colour should the button have?   a answers");
  const gone = { ...facts, moment: emptyMoment("x"), status: "interrupted" } as const;
  expect(lineText(waitLine(gone, keys, 80) ?? [])).toBe("! Its process is gone.   r resumes");
});

test("fifty lanes fit into the rows there are, and the rest is counted", () => {
  const place = { node: "work", key: "work#1" };
  const extra = Array.from({ length: 50 }, (_, i): readonly (readonly [string, Readonly<Record<string, Json>>])[] => [
    ["task.updated", { task: { id: `n${i}`, title: `task ${i}`, status: "in_progress" }, ...place }],
    ["agent.turn-started", { agent: "worker", turn: `n${i}`, task: `n${i}`, worker: i, ...place }],
  ]).flat();
  const run = sampleRun({ extra });
  const events = new RunRecording(emptyMoment(run.id), nextMoment);
  for (const event of run.events) events.push(event);
  const lanes = lanesOf(events.view, noActivity, run.now);
  const lines = bodyLines({ moment: events.view, lanes, selected: "task n40", now: run.now }, 100, 20).map(lineText);

  expect(lanes).toHaveLength(54);
  expect(lines).toHaveLength(20);
  expect(lines.join("\n")).toContain("❯ ◐ n40");
  expect(lines.join("\n")).toMatch(/… \d+ more ↓/);
});

test("an opened step shows what was asked, said, used and changed by then", () => {
  const seen = lookAt(watched(), undefined);
  const target = { title: "3 retry", turn: "t3", task: "3", key: "work#1" };
  const text = (tab: InspectTab): string =>
    inspectLines(tab, { ...seen, target, reducers: {} })
      .map(lineText)
      .join("\n");

  expect(text("prompt")).toBe("Do task 3.\nCompletely.");
  expect(text("answer")).toBe("I'll look at how it fails first.");
  expect(text("tools")).toContain("✓ Edit src/f.ts  0.1s");
  expect(text("diff")).toContain("src/f.ts  +88 −12");
  expect(text("diff")).toContain("+ c");
  expect(text("state")).toContain("planned  by plan#1, event");
  expect(text("event")).toContain('"type": "task.updated"');
  expect(inspectLines("evidence", { ...seen, target: { ...target, task: "2" }, reducers: {} }).map(lineText)[0]).toBe(
    "✓ npm test -- fetch  exit 0  tree 41aa5d2d  13:51",
  );
});

test("scrubbing goes by events, by nodes, to both ends, and never out of the record", () => {
  const marks = [
    { seq: 2, kind: "node" as const },
    { seq: 5, kind: "node" as const },
  ];
  const facts = { total: 8, marks };

  expect(scrub(undefined, "back", facts)).toBe(7);
  expect(scrub(1, "back", facts)).toBe(1);
  expect(scrub(8, "forward", facts)).toBe(8);
  expect(scrub(undefined, "forward", facts)).toBeUndefined();
  expect(scrub(undefined, "nodeBack", facts)).toBe(5);
  expect(scrub(5, "nodeBack", facts)).toBe(2);
  expect(scrub(2, "nodeBack", facts)).toBe(1);
  expect(scrub(2, "nodeForward", facts)).toBe(5);
  expect(scrub(5, "nodeForward", facts)).toBe(8);
  expect(scrub(3, "live", facts)).toBeUndefined();
  expect(scrub(undefined, "back", { total: 0, marks: [] })).toBeUndefined();
});

test("the line of time shows where one looks, and where nodes began and failed", () => {
  const bar = {
    marks: [
      { seq: 1, kind: "node" as const },
      { seq: 900, kind: "failed" as const },
    ],
    total: 1204,
    seq: 812,
    at: sampleStart,
    isOver: false,
    isRead: true,
  };

  expect(lineText(timeBarLine(bar, 60))).toBe("◀ 13:51 ▪─────────────────────┃──✗───────── 812/1204  live ▷");
  expect(lineText(timeBarLine({ ...bar, isRead: false }, 60))).toContain("reading 1204");
});

test("activity is a picture of the last minute and a half, and nothing where nothing happened", () => {
  const now = 1_000_000;

  expect(activityBars([now - 200_000], now)).toBe("");
  expect(activityBars([now - 80_000, now - 1000, now - 900, now - 800, now - 700], now)).toBe("▂▁▁▁▁▃");
});
