// A port of runs built from plain values, for tests of the screens. It records its calls.

import { AtomicError, type ErrorCode } from "../../../src/lib/errors.ts";
import { sampleRun } from "./sample-run.ts";
import { createSessionView } from "../../../src/workflows/sessions/session-view.ts";
import type { Requirement, RunRow, RunsPort } from "../../../src/tui/runs/runs-port.ts";

const sample = sampleRun();
export const sampleNow = sample.now;

export interface SamplePort extends RunsPort {
  readonly calls: readonly string[];
  /** Events of the run. */
  readonly total: number;
}

export interface SampleOptions {
  /** Another run works in the folder. */
  readonly isBusy?: boolean;
  readonly questions?: number;
  /** What the watched run asks. */
  readonly asked?: string;
  /** What reading the run ends with. */
  readonly problem?: { readonly code: ErrorCode; readonly message: string };
}

export function samplePort({ isBusy = false, questions = 1, asked, problem }: SampleOptions = {}): SamplePort {
  const calls: string[] = [];
  const said = async (call: string, text: string): Promise<string> => {
    calls.push(call);
    return text;
  };
  return {
    calls,
    total: sample.events.length,
    now: () => sample.now,
    list: async () => ({ runs: rows(questions), left: 0 }),
    newest: async () => sample.id,
    page: async (id) => ({ view: createSessionView(id), status: "running" }),
    status: async () => "running",
    evidence: async () => requirements,
    reducers: async () => ({}),
    async *events(_, from) {
      for (const event of sample.events.slice(from - 1))
        yield asked !== undefined && event.type === "question.asked"
          ? { ...event, question: { ...event.question, text: asked } }
          : event;
      if (problem !== undefined) throw new AtomicError(problem.code, problem.message);
    },
    async *follow(_, { signal }) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      yield* [];
    },
    async *transcript() {
      yield* sample.transcript;
    },
    pause: (id) => said(`pause ${id}`, "Paused."),
    cancel: (id) => said(`cancel ${id}`, "Cancelled."),
    answer: (id, question, answer) => said(`answer ${id} ${question.id} ${JSON.stringify(answer)}`, "Answered."),
    async resume(id, { isConcurrent }) {
      calls.push(`resume ${id} ${isConcurrent}`);
      if (isBusy && !isConcurrent) throw new AtomicError("FOLDER_BUSY", "Run other (ralph) works in /projects/parser.");
      return "Resumed here; it is paused when you leave.";
    },
    async fork(id, seq) {
      calls.push(`fork ${id} ${seq}`);
      return "forked-run";
    },
  };
}

const checked = { command: "npm test -- fetch", exitCode: 0, tree: "41aa5d2d6c1b", at: sample.now - 60_000 };
const requirements: readonly Requirement[] = [
  { task: "1", title: "read the code", status: "completed", checks: [{ ...checked, age: { state: "fresh" } }] },
  { task: "2", title: "fetch", status: "completed", checks: [{ ...checked, age: { state: "stale", files: 3 } }] },
  {
    task: "3",
    title: "retry 日本語\x1b[2J",
    status: "in_progress",
    checks: [{ ...checked, exitCode: 1, age: { state: "unknown" } }],
  },
  { task: "7", title: "docs", status: "pending", checks: [] },
];

function rows(questions: number): readonly RunRow[] {
  return [
    row("b2c3d4e5-1", { prompt: "日本語のタスクを直す", status: "running", cwd: "/projects/ウェブ" }),
    row("a1b2c3d4-1", {
      status: "paused",
      reason: "needs-human",
      questions: Array.from({ length: questions }, (_, i) => ({
        id: `q${i}`,
        text: "Which colour should the button have?",
        node: "work",
        key: "work#1",
        options: [{ label: "red" }, { label: "blue", description: "as the sky" }],
        multiSelect: false,
        freeText: true,
        default: null,
      })),
    }),
    row("c3d4e5f6-1", { status: "failed", message: "2 of 7 tasks are\x1b[2J not done\u202E" }),
    row("d4e5f6a7-1", { workflow: "release", prompt: "", updatedAt: sample.now - 90_000_000 }),
  ];
}

function row(id: string, more: Partial<RunRow>): RunRow {
  return {
    id,
    workflow: "ralph",
    status: "completed",
    agent: "claude",
    prompt: "add a retry to the fetcher",
    cwd: "/projects/parser",
    updatedAt: sample.now - 125_000,
    tasks: { completed: 3, total: 7 },
    totals: { costUsd: 1.92 },
    questions: [],
    ...more,
  };
}
