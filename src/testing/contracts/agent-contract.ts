// The contract of the agent port, as a list of named cases that import no test runner. Every backend passes all of
// them: where it can't do what a case needs, its capability says why, and the case asserts the typed refusal instead.

import assert from "node:assert/strict";
import { capabilityNames, capabilityTexts } from "../../agents/capabilities.ts";
import type { AgentClient } from "../../agents/port.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { AgentCase } from "./agent-case.ts";
import { answerCases } from "./agent-cases-answers.ts";
import { failureCases } from "./agent-cases-failures.ts";
import { lifetimeCases } from "./agent-cases-lifetime.ts";
import { questionCases } from "./agent-cases-questions.ts";
import { sessionCases } from "./agent-cases-sessions.ts";
import { toolCases } from "./agent-cases-tools.ts";
import { unfinishedCases } from "./agent-cases-unfinished.ts";
import type { AgentHarness } from "./agent-harness.ts";

export interface ContractCase {
  readonly name: string;
  readonly run: (harness: AgentHarness) => Promise<void>;
}

const cases: readonly AgentCase[] = [
  ...answerCases,
  ...toolCases,
  ...questionCases,
  ...failureCases,
  ...unfinishedCases,
  ...sessionCases,
  ...lifetimeCases,
];

export const agentContract: readonly ContractCase[] = cases.map((agentCase) => ({
  name: agentCase.name,
  run: (harness) => runCase(agentCase, harness),
}));

async function runCase(agentCase: AgentCase, harness: AgentHarness): Promise<void> {
  const { capabilities } = harness.client;
  const missing = agentCase.needs.filter((name) => capabilities[name] !== true);
  if (missing.length === 0) return agentCase.run(harness);
  for (const name of missing)
    assert.ok(String(capabilities[name]).length > 3, `the capability "${name}" says why it is missing`);
  if (agentCase.refusal === undefined) return;
  await assert.rejects(agentCase.refusal(harness), (error) => AtomicError.is(error, "AGENT_CAPABILITY"));
}

/**
 * The table of docs/agents.md: one row per capability, one column per backend, and below it the reasons for each gap.
 */
export function capabilityTable(clients: readonly Pick<AgentClient, "kind" | "capabilities">[]): string {
  const notes: string[] = [];
  const rows = capabilityNames.map((name) => {
    const cells = clients.map(({ kind, capabilities }) => {
      const capability = capabilities[name];
      if (capability === true) return "yes";
      notes.push(`- ${kind} can't ${capabilityTexts[name]}: ${capability}.`);
      return "no";
    });
    return [capabilityTexts[name], ...cells];
  });
  return [...alignedTable([["", ...clients.map(({ kind }) => kind)], ...rows]), "", ...notes].join("\n");
}

/** Aligned columns, as the formatter writes them. */
function alignedTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map(
    (row) => `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`,
  );
  return [...lines.slice(0, 1), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines.slice(1)];
}
