import { expect, test } from "bun:test";
import type { RalphSettings } from "./state.ts";
import type { TreeName } from "../checks/tree-hash.ts";
import { recordOf, type TaskTry, verdictOf } from "./task-try.ts";

const settings: RalphSettings = { workers: 1, maxTries: 5, maxReviews: 0, maxStuck: 2, verify: [], pr: false };

function checked(exitCode: number | null, more: { readonly tree?: TreeName; readonly output?: string } = {}): TaskTry {
  const { tree = "t", output = "" } = more;
  const check = { command: "npm test", exitCode, output, tree, treeAfter: tree };
  return { isDone: true, error: null, summary: "s", costUsd: 0.1, tree: null, checks: [check] };
}
const failedTurn = (tree: TreeName): TaskTry => ({
  isDone: false,
  error: "it crashed",
  summary: "",
  costUsd: null,
  tree,
  checks: [],
});

test("verdictOf calls a task completed only when its turn is done and every check passed", () => {
  expect(verdictOf([checked(0)], settings)).toEqual({ status: "completed" });
  expect(verdictOf([{ ...checked(0), checks: [] }], settings)).toEqual({ status: "completed" });
  expect(verdictOf([checked(1)], settings)).toBeUndefined();
  // Ended by a signal, it has no exit code; that is not success.
  expect(verdictOf([checked(null)], settings)).toBeUndefined();
  expect(verdictOf([failedTurn("t")], settings)).toBeUndefined();
  expect(verdictOf([], settings)).toBeUndefined();
});

test("verdictOf fails a task after its tries, and says what went wrong last", () => {
  const tries = ["a", "b", "c", "d", "e"].map((tree) => checked(2, { tree }));

  expect(verdictOf(tries, settings)).toEqual({
    status: "failed",
    error: "not done after 5 tries: `npm test` exits with 2",
  });
  expect(verdictOf([failedTurn("t")], { ...settings, maxTries: 1 })).toEqual({
    status: "failed",
    error: "not done after 1 try: it crashed",
  });
});

test("verdictOf calls a task stuck when enough rounds changed neither the folder nor the output, except numbers", () => {
  const same = [1, 2, 3].map((n) => checked(1, { output: `1 failed in ${n} ms` }));
  const stuck = "stuck: 3 tries changed no file but ignored ones and failed in the same way: `npm test` exits with 1";

  expect(verdictOf(same.slice(0, 2), settings)).toBeUndefined();
  expect(verdictOf(same, settings)).toEqual({ status: "failed", error: stuck, isStuck: true });
  expect(verdictOf(same, { ...settings, maxTries: 3 })).toEqual({
    status: "failed",
    error: "not done after 3 tries: `npm test` exits with 1",
  });
  expect(verdictOf(same, { ...settings, maxStuck: 0 })).toBeUndefined();
  const moving = [checked(1), checked(1, { tree: "other" }), checked(1, { tree: "other" })];
  expect(verdictOf(moving, settings)).toBeUndefined();
  const saying = [checked(1, { output: "a" }), checked(1, { output: "b" }), checked(1, { output: "b" })];
  expect(verdictOf(saying, settings)).toBeUndefined();
  expect(verdictOf([failedTurn("t"), failedTurn("t"), failedTurn("t")], settings)?.error).toContain("stuck");
});

test("verdictOf calls no task stuck whose folder state is unknown", () => {
  const unknown = [1, 2, 3, 4].map(() => checked(1, { tree: null }));

  expect(verdictOf(unknown, settings)).toBeUndefined();
  expect(verdictOf([failedTurn(null), failedTurn(null), failedTurn(null)], settings)).toBeUndefined();
});

test("recordOf adds the cost of all tries up, unknown when one is, and keeps no output", () => {
  expect(recordOf("1", [checked(1), checked(0, { output: "long" })])).toEqual({
    id: "1",
    tries: 2,
    checks: [{ command: "npm test", exitCode: 0, tree: "t", treeAfter: "t" }],
    costUsd: 0.2,
    summary: "s",
  });
  expect(recordOf("1", [failedTurn("t"), checked(0)]).costUsd).toBeNull();
});
