import { expect, test } from "bun:test";
import { filterRuns, needsPerson, orderRuns } from "./run-order.ts";
import type { RunRow } from "./runs-port.ts";

const hour = 3_600_000;
const now = 100 * hour;
const row = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  id,
  workflow: "ralph",
  status: "completed",
  agent: "claude",
  prompt: "add a retry",
  cwd: "/projects/parser",
  updatedAt: now - hour,
  tasks: { completed: 0, total: 0 },
  totals: { costUsd: 0 },
  questions: [],
  ...more,
});
const question = { id: "q", text: "?", node: "n", key: "n#1", options: [], multiSelect: false, freeText: true };

test("runs that need a person come first, then those that work, then the newest", () => {
  const runs = [
    row("done"),
    row("running", { status: "running", updatedAt: now - 5 * hour }),
    row("old failure", { status: "failed", updatedAt: now - 48 * hour }),
    row("failure", { status: "failed", updatedAt: now - 2 * hour }),
    row("asks", { status: "running", questions: [question], updatedAt: now - 9 * hour }),
    row("put aside", { status: "paused", reason: "paused" }),
  ];

  expect(orderRuns(runs, now).map(({ id }) => id)).toEqual([
    "asks",
    "failure",
    "running",
    "done",
    "put aside",
    "old failure",
  ]);
});

test("a run that is over asks no one", () => {
  expect(needsPerson(row("a", { questions: [question], status: "cancelled" }), now)).toBe(false);
  expect(needsPerson(row("a", { status: "paused", reason: "budget" }), now)).toBe(true);
  expect(needsPerson(row("a", { status: "paused", reason: "paused" }), now)).toBe(false);
});

test("the filter wants every word, in any order", () => {
  const runs = [row("a", { prompt: "fix the parser" }), row("b", { cwd: "/projects/web", status: "failed" })];

  expect(filterRuns(runs, "PARSER fix").map(({ id }) => id)).toEqual(["a"]);
  expect(filterRuns(runs, "failed web").map(({ id }) => id)).toEqual(["b"]);
  expect(filterRuns(runs, "  ")).toHaveLength(2);
});
