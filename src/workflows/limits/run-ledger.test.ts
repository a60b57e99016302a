import { expect, test } from "bun:test";
import { RunLedger } from "./run-ledger.ts";

function ledgerOf(
  ...events: readonly { readonly type: string; readonly at: number; readonly [key: string]: unknown }[]
) {
  const ledger = new RunLedger();
  events.forEach((event, i) => ledger.add({ ...event, seq: i + 1 }));
  return ledger;
}

test("RunLedger counts each iteration of a visit once, and forgets the names of a visit that is over", () => {
  const begun = (key: string, iteration: string) => ({ type: "iteration.started", key, iteration, at: 1 });
  const ledger = ledgerOf(begun("a#1", "x"), begun("a#1", "x"), begun("a#1", "y"), begun("b#1", "z"), {
    type: "node.finished",
    key: "a#1",
    at: 2,
  });

  expect(ledger.iterations).toBe(3);
  expect(ledger.hasIteration("z")).toBe(true);
  expect(ledger.hasIteration("x")).toBe(false);
});

test("RunLedger counts the rounds of a loop, its first one when the second tells that there is a loop", () => {
  const round = (loop: string, number: number) => ({
    type: "iteration.started",
    key: "a#1",
    loop,
    round: number,
    at: 1,
  });
  const ledger = ledgerOf(round("", 2), round("", 2), round("", 3), round("1", 2));

  expect(ledger.iterations).toBe(5);
  expect(ledger.hasIteration({ loop: "", round: 1 })).toBe(true);
  expect(ledger.hasIteration({ loop: "", round: 3 })).toBe(true);
  expect(ledger.hasIteration({ loop: "", round: 4 })).toBe(false);
  expect(ledger.hasIteration({ loop: "2", round: 1 })).toBe(true);
  expect(ledger.iterationsBefore({ loop: "", round: 4 })).toBe(5);
  expect(ledger.iterationsBefore({ loop: "2", round: 2 })).toBe(6);
});

test("RunLedger adds up what turns took, and takes nothing that is absurd", () => {
  const turn = (usage: object) => ({ type: "agent.turn-finished", agent: "a", usage, at: 1 });
  const ledger = ledgerOf(
    turn({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, costUsd: 0.5 }),
    turn({ inputTokens: -10, outputTokens: Number.NaN, costUsd: -1 }),
    turn({}),
  );

  expect(ledger.totals(1)).toMatchObject({
    turns: 3,
    inputTokens: 110,
    outputTokens: 5,
    costUsd: 0.5,
    turnsWithoutCost: 2,
  });
  expect(ledger.likelyTurn("a")).toEqual({ costUsd: 0.5, tokens: 115 });
  expect(ledger.likelyTurn("b")).toBeUndefined();
});

test("RunLedger counts the time of waits that overlap once", () => {
  const ledger = ledgerOf(
    { type: "limit.waiting", at: 1000, until: 5000 },
    { type: "limit.waiting", at: 2000, until: 6000 },
    { type: "limit.waiting", at: 3000, until: 4000 },
  );

  expect(ledger.waitedMs).toBe(5000);
  expect(ledger.waitUntil).toBe(6000);
});

test("RunLedger counts the time that processes ran, also of one that was killed", () => {
  const ledger = ledgerOf(
    { type: "run.started", at: 0 },
    { type: "node.started", at: 4000 },
    // Killed somewhere after that, and resumed much later.
    { type: "run.started", at: 100_000 },
    { type: "run.paused", at: 101_000 },
    { type: "run.started", at: 200_000 },
  );

  expect(ledger.activeMs(202_000)).toBe(7000);
});
