// What services other than the vendors' own do, for the programs that are driven natively: one that counts nothing.

import assert from "node:assert/strict";
import { completeTurn, ofType, openSession } from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts } from "../../src/testing/contracts/agent-scenarios.ts";
import { scenarioPrompt, type Scenarios } from "../../src/testing/model-server/scenario.ts";
import { noUsage } from "../../src/agents/usage.ts";
import type { OwnCase } from "./agent-suite.ts";

export const serviceScenarios: Scenarios = {
  "no-usage": [{ text: contractTexts.answer, omitsUsage: true }],
};

export const serviceCases: readonly OwnCase[] = [
  {
    name: "a service that omits its usage is answered from, and the turn states no usage and no cost",
    async run({ harness }) {
      const session = await openSession(harness, harness.newFolder());
      const { events, end } = await completeTurn(session, scenarioPrompt("no-usage"));
      assert.equal(end.text, contractTexts.answer);
      assert.deepEqual(ofType(events, "usage.reported"), []);
      assert.deepEqual(end.usage, noUsage);
      await session.close();
    },
  },
];
