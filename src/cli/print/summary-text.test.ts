import { describe, expect, test } from "bun:test";
import { readEvent } from "../../events/run-event.ts";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import { readChangedFiles } from "../../workflows/sessions/changed-files.ts";
import { createSessionView, nextView, type SessionView } from "../../workflows/sessions/session-view.ts";
import { formatTokens, summaryText } from "./summary-text.ts";

const usage = { inputTokens: 1200, outputTokens: 30, cacheReadTokens: 0, cacheWriteTokens: 0 };

function viewOf(...events: readonly Record<string, unknown>[]): SessionView {
  const start = { type: "run.started", workflow: "w", agent: "claude", cwd: "/p", state: {}, resumed: false };
  let view = createSessionView("r");
  for (const [i, event] of [start, ...events].entries())
    view = nextView(view, readEvent({ seq: i + 1, at: 1000 + i * 30_000, ...event } as never));
  return view;
}

function turn(turnId: string, model: string | null, costUsd: number | null): Record<string, unknown> {
  const common = { type: "agent.turn-finished", agent: "claude", outcome: "completed", durationMs: 40_000 };
  return { ...common, turn: turnId, modelServed: model, usage: { ...usage, costUsd } };
}

describe("the summary of a run", () => {
  test("adds up by agent and model, and names wall time and agents' time", () => {
    const view = viewOf(
      turn("1", "opus", 0.5),
      turn("2", "opus", 0.25),
      turn("3", "haiku", 0.01),
      turn("4", null, null),
      turn("5", "haiku", null),
    );
    expect(summaryText(view, [])).toBe(
      [
        "  claude (opus): $0.7500, 2.4k tokens in, 60 out, 2 turns",
        "  claude (haiku): $0.0100 and 1 turn of unknown cost, 2.4k tokens in, 60 out, 2 turns",
        "  claude: cost unknown, 1.2k tokens in, 30 out, 1 turn",
        "  Time: 2m 30s from start to end, 3m 20s of agents' work",
      ].join("\n"),
    );
  });

  test("says what to type next when the run is completed", () => {
    const end = { type: "run.finished", outcome: "completed" };
    expect(summaryText(viewOf(turn("1", "opus", 0.5), end), [])).toEndWith("\n  Details: atomic sessions show r");
  });

  test("says nothing about a run without agents", () => {
    expect(summaryText(viewOf(), [])).toBe("");
  });

  test("lists files once, whichever work tree they were written in, and counts the rest", async () => {
    const entry = (path: string, added: number): TranscriptEntry => ({
      ...{ v: 1, at: 1, type: "turn.finished", turn: "t", outcome: "completed", answer: "", durationMs: 1 },
      usage: { ...usage, costUsd: null },
      changes: [{ path, added, removed: 1 }],
    });
    async function* entries(): AsyncGenerator<TranscriptEntry> {
      yield* [
        entry("/p/a.ts", 2),
        entry("/s/trees/atomic-01234567-1/a.ts", 1),
        entry("/s/trees/atomic-01234567-2/a.ts", 1),
      ];
      yield* [entry("./a.ts", 1), entry("/other/b\x1b[31m.ts", 1)];
    }
    const files = await readChangedFiles(entries(), { id: "01234567-89ab-4cde-8f01-23456789abcd", cwd: "/p" });
    expect(summaryText(viewOf(turn("1", "m", 1)), files)).toStartWith(
      "  Edited by agents: 2 files, +6 −5\n    a.ts  +5 −4\n    /other/b",
    );
    const many = Array.from({ length: 10 }, (_, i) => ({ path: `f${i}`, added: 1, removed: 0 }));
    expect(summaryText(viewOf(turn("1", "m", 1)), many)).toContain("    … and 2 more\n");
  });

  test.each([
    [999, "999"],
    [1000, "1.0k"],
    [999_949, "999.9k"],
    [1_000_000, "1.0M"],
  ])("writes %d tokens as %s", (tokens, text) => {
    expect(formatTokens(tokens)).toBe(text);
  });
});
