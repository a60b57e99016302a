// Events for tests of folds: required fields that a test leaves out are filled in.

import { readEvent, type RunEvent } from "../../src/events/run-event.ts";

const visit = { key: "a#1", node: "a", visit: 1, attempt: 1 };

const defaults: Readonly<Record<string, object>> = {
  "run.started": { workflow: null, resumed: false },
  "run.paused": { reason: "paused" },
  "run.finished": { outcome: "completed" },
  "node.started": visit,
  "node.finished": visit,
  "node.failed": { ...visit, error: { message: "failed" } },
  "agent.turn-started": { agent: "a" },
  "agent.usage-reported": { agent: "a", usage: {} },
  "agent.turn-finished": { agent: "a", usage: {}, outcome: "completed" },
  "question.asked": { ...visit, question: { id: "q", text: "?" } },
  "question.answered": { ...visit, question: "q", answer: null, by: "test" },
  "wait.started": { ...visit, wait: "wait", until: 0 },
  "step.finished": { ...visit, step: "part", value: null },
  "attempt.noted": { ...visit, note: null },
};

export interface TestEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Throws for an event that no version writes: a test with it would test nothing. */
export function runEvent(event: TestEvent, stamp: { readonly seq: number; readonly at: number }): RunEvent {
  const read = readEvent({ ...defaults[event.type], ...event, ...stamp });
  if (read.type === "unknown") throw new Error(`this is not a ${event.type}: ${JSON.stringify(event)}`);
  return read;
}
