// Contract: every failure of the model's service is one typed failure.

import assert from "node:assert/strict";
import type { TurnFailure } from "../../agents/failures.ts";
import type { AgentCase } from "./agent-case.ts";
import { completeTurn, describeEnd, openSession, readTurn, type AgentHarness } from "./agent-harness.ts";
import { contractTexts, type ContractScenario } from "./agent-scenarios.ts";

/** The failure of the scenario's turn, after which the session takes the next one. */
export async function failTurn(
  harness: AgentHarness,
  scenario: ContractScenario,
  silenceMs?: number,
): Promise<TurnFailure> {
  const folder = harness.newFolder();
  const session = await openSession(harness, folder, silenceMs === undefined ? {} : { limits: { silenceMs } });
  const { end } = await readTurn(session, harness.prompt(scenario, folder));
  assert.equal(end.type, "turn.failed", `the turn fails, and ended as ${describeEnd(end)}`);
  // A failure does not end the session.
  const next = await completeTurn(session, harness.prompt("answer", folder));
  assert.equal(next.end.text, contractTexts.answer);
  await session.close();
  if (end.type !== "turn.failed") throw new Error("unreachable");
  assert.notEqual(end.failure.message, "");
  return end.failure;
}

export const failureCases: readonly AgentCase[] = [
  {
    name: "a refused key (401) is a failure of kind auth, which is not retryable",
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, "error-401");
      assert.equal(failure.kind, "auth", failure.message);
      assert.equal(failure.retryable, false);
    },
  },
  {
    name: "a rate limit (429) without a reset time is a failure of kind rate_limited",
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, "error-429");
      assert.equal(failure.kind, "rate_limited", failure.message);
      assert.equal(failure.retryable, true);
    },
  },
  {
    name: "a rate limit (429) with a reset time says when it ends",
    needs: ["rateLimitReset"],
    async run(harness) {
      const failure = await failTurn(harness, "error-429-reset");
      assert.equal(failure.kind, "rate_limited", failure.message);
      const minutes = ((failure.resetAt ?? 0) - Date.now()) / 60_000;
      assert.ok(minutes > 50 && minutes <= 60, `the limit ends in ${minutes} minutes`);
    },
  },
  {
    name: "a broken service (500) is a failure of kind overloaded",
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, "error-500");
      assert.equal(failure.kind, "overloaded", failure.message);
      assert.equal(failure.retryable, true);
    },
  },
  {
    name: "a full context is a failure of kind context_overflow",
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, "error-overflow");
      assert.equal(failure.kind, "context_overflow", failure.message);
      assert.equal(failure.retryable, false);
    },
  },
  {
    name: "a stream that is cut in the middle is a retryable failure",
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, "cut", 20_000);
      assert.ok(["crashed", "overloaded", "timeout"].includes(failure.kind), `${failure.kind}: ${failure.message}`);
      assert.equal(failure.retryable, true);
    },
  },
  {
    name: "a silent model is a failure of kind timeout, and the session continues",
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, "silent", harness.silenceMs);
      assert.equal(failure.kind, "timeout", failure.message);
    },
  },
];
