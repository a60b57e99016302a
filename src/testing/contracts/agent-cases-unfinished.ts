// Contract: a turn that said and did nothing, was refused or was cut off never counts as completed, even if the program
// itself treats it as a normal answer.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FailureKind } from "../../agents/failures.ts";
import type { AgentCase } from "./agent-case.ts";
import { failTurn } from "./agent-cases-failures.ts";
import { openSession, readTurn } from "./agent-harness.ts";
import { contractTexts, type ContractScenario } from "./agent-scenarios.ts";

function unfinished(
  name: string,
  scenario: ContractScenario,
  kinds: readonly FailureKind[],
  isRetryable: boolean,
): AgentCase {
  return {
    name,
    needs: [],
    async run(harness) {
      const failure = await failTurn(harness, scenario);
      assert.ok(kinds.includes(failure.kind), `${failure.kind}: ${failure.message}`);
      assert.equal(failure.retryable, isRetryable);
    },
  };
}

export const unfinishedCases: readonly AgentCase[] = [
  unfinished("an answer without text and tools is a failure of kind invalid_output", "empty", ["invalid_output"], true),
  unfinished("an answer of blanks is a failure of kind invalid_output", "blank", ["invalid_output"], true),
  // Some programs retry several times, and then report that the service is unavailable.
  unfinished("a web page in place of an answer is a failure", "page", ["invalid_output", "overloaded"], true),
  unfinished("an answer that the model refused is a failure of kind refused", "refusal", ["refused"], false),
  unfinished(
    "an answer that is always cut off is a failure of kind invalid_output",
    "always-cut-off",
    ["invalid_output"],
    true,
  ),
  {
    name: "a turn that worked and was cut off is a failure, and what it did stays",
    needs: ["effects"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { end } = await readTurn(session, harness.prompt("cut-off-work", folder));
      assert.ok(end.type === "turn.failed" && end.failure.kind === "invalid_output", `ended as ${end.type}`);
      assert.equal(readFileSync(join(folder, "hello.txt"), "utf8"), contractTexts.fileContent);
      await session.close();
    },
  },
];
