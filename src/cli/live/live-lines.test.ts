import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../lib/json.ts";
import { readEvent } from "../../events/run-event.ts";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import { nextLive } from "../../workflows/sessions/live-view.ts";
import { createSessionView, nextView, type SessionView } from "../../workflows/sessions/session-view.ts";
import { plainStyle } from "../style.ts";
import { widthOf } from "../width.ts";
import type { RunningCommand } from "../../workflows/sessions/running-commands.ts";
import { OpenVisits } from "./open-visits.ts";
import { type LiveFrame, liveLines, liveRows } from "./live-lines.ts";

const frame: Omit<LiveFrame, "activities"> = { now: 61_000, columns: 80, rows: 24, turn: 0, style: plainStyle };

function linesOf(
  view: SessionView,
  { commands = [], ...more }: Partial<LiveFrame> & { readonly commands?: readonly RunningCommand[] } = {},
): readonly string[] {
  return liveLines(view, { ...frame, activities: liveRows(view, commands, new OpenVisits(view).of(view)), ...more });
}

function viewOf(...events: readonly Record<string, unknown>[]): SessionView {
  const start = { type: "run.started", workflow: "ralph", agent: "claude", cwd: "/p", state: {}, resumed: false };
  let view = createSessionView("r");
  for (const [i, event] of [start, ...events].entries())
    view = nextView(view, readEvent({ seq: i + 1, at: 1000, ...event } as never));
  return view;
}

function task(id: string, title: string, status = "in_progress"): Record<string, unknown> {
  return { type: "task.updated", task: { id, title, status } };
}

function turnOf(
  worker: number,
  taskId: string,
  tool?: { name: string; input: JsonObject },
): readonly TranscriptEntry[] {
  const turn = `t${worker}`;
  const stamp = { v: 1, at: 1000, turn };
  const called = { node: "work", key: "work#1", agent: "claude", backend: "claude", prompt: "" };
  return [
    { ...stamp, type: "turn.started", ...called, task: taskId, worker },
    ...(tool === undefined ? [] : [{ ...stamp, type: "tool.started", call: "c", kind: "other", ...tool } as const]),
  ];
}

function withTurns(view: SessionView, ...turns: readonly (readonly TranscriptEntry[])[]): SessionView {
  return { ...view, live: turns.flat().reduce(nextLive, view.live) };
}

describe("lines about what a run is doing", () => {
  const turns = [
    { type: "agent.turn-started", turn: "t1", agent: "claude", node: "work", key: "work#1", task: "1", worker: 1 },
    { type: "agent.turn-started", turn: "t2", agent: "claude", node: "work", key: "work#1", task: "2", worker: 2 },
    {
      type: "agent.usage-reported",
      turn: "t2",
      agent: "claude",
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.0412 },
    },
  ];
  const busy = withTurns(
    viewOf(task("1", "Parse the header"), task("2", "Retry"), task("3", "Done before", "completed"), ...turns),
    turnOf(1, "1"),
    turnOf(2, "2", { name: "Bash", input: { command: "npm test -- fetch" } }),
  );

  test("have the task, the tool, the time and the cost of every worker, and a bar", () => {
    const lines = linesOf(busy);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^⠋ 1 {2}Parse the header {2}thinking +1m 0s$/);
    expect(lines[1]).toMatch(/^⠋ 2 {2}Retry {13}Bash npm test -- fetch +1m 0s {2}\$0\.0412$/);
    expect(lines[2]).toStartWith("▓▓▓▓▓░░░░░░░░░░░  1 of 3 tasks · $0.0412");
  });

  test.each([
    [160, "▓▓▓▓▓░░░░░░░░░░░  1 of 3 tasks · $0.0412 and 1 turn of unknown cost · 1m 0s · Ctrl+C pauses"],
    [80, "▓▓▓▓▓░░░░░░░░░░░  1 of 3 tasks · ≥ $0.0412 · 1m 0s · Ctrl+C pauses"],
    [60, "▓▓▓▓▓░░░░░░░░░░░  1 of 3 tasks · ≥ $0.0412 · 1m 0s"],
    [45, "▓▓▓░░░░░  1 of 3 tasks · ≥ $0.0412 · 1m 0s"],
    [40, "  1 of 3 tasks · ≥ $0.0412 · 1m 0s"],
    [30, "  1 of 3 tasks · ≥ $0.0412 ·…"],
  ])("show cost and time in %d columns", (columns, status) => {
    const [first, second] = turns;
    const ended = { type: "agent.turn-finished", turn: "t1", agent: "claude", outcome: "completed", durationMs: 1 };
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const ends = [
      { ...ended, usage: { ...usage, costUsd: null } },
      { ...ended, turn: "t2", usage: { ...usage, costUsd: 0.0412 } },
    ];
    const tasks = [task("1", "One"), task("2", "Two"), task("3", "Done before", "completed")];
    const view = viewOf(...tasks, { ...first }, { ...second }, ...ends);
    expect(linesOf(view, { columns }).at(-1)).toBe(status);
  });

  test.each([20, 40, 80, 160])("never reach the last of %d columns", (columns) => {
    const wide = viewOf(task("1", `日本語のとても長いタイトル \x1b[31mred\u202e ${"x".repeat(300)}`), ...turns);
    const commands = [{ command: "make\x07 all", task: "1", node: "work", key: "work#1", since: 0 }];
    const lines = linesOf(withTurns(wide, turnOf(1, "1"), turnOf(2, "1")), { columns, commands });
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(widthOf(line)).toBeLessThan(columns);
      expect(line.split("").filter((sign) => sign < " " || sign === "\u202e")).toEqual([]);
    }
  });

  test("leave the log room when fifty work", () => {
    const many = Array.from({ length: 50 }, (_, i) => turnOf(i + 1, "1"));
    const lines = linesOf(withTurns(viewOf(task("1", "One")), ...many));
    expect(lines).toHaveLength(12);
    expect(lines[10]).toBe("  … and 40 more at work");
  });

  test.each([1, 2, 4, 6])("fit a terminal of %d rows", (rows) => {
    const limit = { type: "limit.waiting", kind: "rate_limited", until: 91_000, message: "later", agent: "claude" };
    const many = Array.from({ length: 5 }, (_, i) => turnOf(i + 1, "1"));
    const lines = linesOf(withTurns(viewOf(task("1", "One"), limit), ...many), { rows });
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    expect(lines.at(-1)).toContain("0 of 1 task");
  });

  test("name a node without a description, and not the one that its work is inside of", () => {
    const started = { visit: 1, attempt: 1, type: "node.started" };
    const view = viewOf({ ...started, node: "outer", key: "outer#1" }, { ...started, node: "in", key: "outer#1/in#1" });
    const lines = linesOf(view);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^⠋ in .* 1m 0s$/);
  });

  test("say which command of the run itself runs", () => {
    const started = { type: "node.started", visit: 1, attempt: 1, node: "work", key: "work#1" };
    const view = viewOf(started, task("1", "One"));
    const commands = [{ command: "npm ci", task: "1", node: "work", key: "work#1", since: 59_000 }];
    const [line, ...rest] = linesOf(view, { commands });
    expect(line).toMatch(/^⠋ 1 {2}One {2}\$ npm ci +2s$/);
    expect(rest).toHaveLength(1);
  });

  test("say what is waited for, and for how long", () => {
    const limit = { type: "limit.waiting", kind: "rate_limited", until: 91_000, message: "try later", agent: "claude" };
    expect(linesOf(viewOf(limit))[0]).toBe("… waiting for a rate limit, 30s left");
  });
});
