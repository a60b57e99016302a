import { expect, test } from "bun:test";
import { runEvent } from "../../../tests/support/run-events.ts";
import { createTextPrinter } from "./text-printer.ts";

const run = "11111111-2222-4333-8444-555555555555";

/** The lines that these events print, one second apart. */
function print(...events: readonly { readonly type: string; readonly [field: string]: unknown }[]): readonly string[] {
  const lines: string[] = [];
  const take = (text: string) => void lines.push(...text.split("\n"));
  const printer = createTextPrinter({ progress: take, result: take });
  events.forEach((event, i) => printer.event(run, runEvent(event, { seq: i + 1, at: i * 1000 })));
  return lines;
}

const started = {
  type: "run.started",
  workflow: "ralph",
  agent: "Claude",
  cwd: "/work",
  resumed: false,
  descriptions: { plan: "Planning" },
};
const task = (id: string, status: string, more = {}) => ({
  type: "task.updated",
  task: { id, title: `Task ${id}`, status, ...more },
});

test("the text printer says what starts, each phase once, and where the run stands with each task", () => {
  const lines = print(
    started,
    { type: "node.started", node: "plan" },
    { type: "node.started", node: "other" },
    task("1", "pending"),
    task("2", "pending"),
    task("1", "in_progress"),
    task("1", "in_progress"),
    { type: "agent.turn-finished", usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.5 } },
    task("1", "completed"),
  );

  expect(lines).toEqual([
    `Started Ralph session: ${run}`,
    "  agent Claude, folder /work, sandbox off",
    "▸ Planning",
    "→ 1  Task 1",
    "✓ 1  Task 1  (1 of 2 tasks, $0.5000, 8s)",
  ]);
});

test("the text printer takes tasks of a workflow that keeps them in its state", () => {
  const lines = print(started, {
    type: "node.finished",
    node: "x",
    update: { tasks: [{ id: "a", title: "A", status: "failed", error: "no" }] },
  });

  expect(lines.at(-1)).toBe("✗ a  A: no");
});

test("the text printer shows checks, questions with how to answer, limits and failures", () => {
  const lines = print(
    started,
    { type: "verify.finished", command: "npm test", exitCode: 1, task: "3" },
    {
      type: "question.asked",
      node: "n",
      key: "n#1",
      question: { id: "q?1", text: "Which?", options: ["a", { label: "b", description: "the other" }] },
    },
    { type: "limit.waiting", kind: "rate_limited", until: 60_000, message: "too many" },
    { type: "limit.waiting", kind: "overloaded", until: 60_000, message: "ECONNRESET" },
    { type: "agent.model-substituted", agent: "worker", asked: "opus", served: "haiku" },
    { type: "agent.turn-finished", agent: "worker", outcome: "failed", failure: { message: "it broke" } },
    { type: "node.failed", node: "n", error: { message: "bad" }, retryAt: 120_000 },
  );

  expect(lines.slice(2)).toEqual([
    "  check npm test: exit 1 (task 3)",
    "? Which?",
    "    1 a",
    "    2 b: the other",
    `  answer with: atomic answer ${run} --question 'q?1' VALUE`,
    "… waits for a rate limit until 1970-01-01T00:01:00.000Z (too many)",
    "… the model's service is unavailable; retrying at 1970-01-01T00:01:00.000Z (ECONNRESET)",
    "! worker: the model haiku answered instead of opus",
    "! worker: it broke",
    "! n: bad; tries again at 1970-01-01T00:02:00.000Z",
  ]);
});

test("the text printer lays out a report with its checks", () => {
  const report = {
    tasks: [
      {
        id: "1",
        title: "Parser",
        status: "completed",
        tries: 2,
        costUsd: 0.25,
        checks: [{ command: "npm test", exitCode: 0, tree: "abcdef0123456789" }],
      },
      { id: "2", title: "Lexer", status: "failed", error: "never passed" },
    ],
    reviews: [{ round: 1, verdict: "incorrect", findings: [{ title: "A bug", priority: "P1" }] }],
    kept: { ref: "refs/atomic/kept/1", files: 3 },
    pullRequest: null,
  };

  expect(print(started, { type: "report.written", report }).slice(2)).toEqual([
    "",
    "Report",
    "  1  Parser: completed, 2 tries, $0.2500",
    "      npm test: exit 0 on tree abcdef01234…",
    "  2  Lexer: failed",
    "      never passed",
    "  reviews:",
    "    - round 1, verdict incorrect, findings (title A bug, priority P1)",
    "  kept: ref refs/atomic/kept/1, files 3",
  ]);
});

test("nothing of a task's or question's text reaches the terminal as a command", () => {
  const lines = print(started, task("\u001b[2J", "in_progress"), {
    type: "question.asked",
    node: "n",
    key: "n#1",
    question: { id: "q", text: "\u001b]0;x\u0007" },
  });

  expect(lines.join("\n")).not.toContain("\u001b");
});

test("the text printer says what a review found", () => {
  const findings = [{ title: "d is \u001b[31mmissing", body: "…", priority: "P1" }];
  const lines = print(started, { type: "review.finished", round: 1, verdict: "incorrect", findings });

  expect(lines.slice(2)).toEqual(["  review 1: incorrect", "    P1 d is ␛[31mmissing"]);
});

test("the text printer counts iterations where there are no tasks, and many of them in steps", () => {
  const iterations = Array.from({ length: 250 }, (_, i) => ({
    type: "iteration.started",
    key: "a",
    iteration: `${i}`,
  }));
  const lines = print({ ...started, maxIterations: 300 }, ...iterations).filter((line) => line.includes("iteration"));

  expect(lines.slice(0, 2)).toEqual(["· iteration 1 of at most 300  (1s)", "· iteration 2 of at most 300  (2s)"]);
  expect(lines).toHaveLength(99 + 16);
  expect(print(started, task("1", "pending"), ...iterations.slice(0, 3)).join()).not.toContain("iteration");
});

test("the text printer shows a report's tasks and notes, and the rest of one without notes as it is", () => {
  const tasks = [
    {
      id: "1",
      title: "One",
      asked: "Do one",
      status: "completed",
      tries: 2,
      costUsd: 0.5,
      checks: [],
      error: undefined,
    },
  ];
  const withNotes = { tasks, reviews: [{ round: 1 }], notes: ["review 1: correct", "  P3 a nit"] };

  expect(print(started, { type: "report.written", report: withNotes }).slice(2)).toEqual([
    "",
    "Report",
    "  1  One: completed, 2 tries, $0.5000",
    "      asked: Do one",
    "  review 1: correct",
    "    P3 a nit",
  ]);
  expect(print(started, { type: "report.written", report: { found: 3 } }).slice(2)).toEqual([
    "",
    "Report",
    "  found: 3",
  ]);
});
