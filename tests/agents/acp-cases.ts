// Cases of the protocol besides the contract: sub-agents in the background, and agents of other vendors through the
// same client.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAcpClient } from "../../src/agents/acp/acp-client.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import {
  completeTurn,
  describeEnd,
  eventually,
  ofType,
  openSession,
  readTurn,
} from "../../src/testing/contracts/agent-harness.ts";
import { contractScenarios, contractTexts } from "../../src/testing/contracts/agent-scenarios.ts";
import { stopWhileToolRuns } from "../../src/testing/contracts/stop-while-tool-runs.ts";
import { scenarioPrompt, type Scenario, type Scenarios } from "../../src/testing/model-server/scenario.ts";
import {
  claudeVocabulary,
  copilotVocabulary,
  opencodeVocabulary,
  type AgentVocabulary,
} from "../../src/testing/model-server/vocabulary.ts";
import type { OwnCase, SuiteContext } from "./agent-suite.ts";
import { rigBackend as claude } from "./backends/claude.ts";
import { copilotVariables } from "./backends/copilot.ts";
import { quiet, userConfig } from "./backends/opencode.ts";
import { rigHost } from "./rig.ts";

/** The agent under test is Claude's adapter: what a project brings along is Claude's. */
const plantClaudeProject = claude.plantProject;
const packages = join(import.meta.dirname, "node_modules");

const inBackground = (prompt: string) => {
  const { name, input } = claudeVocabulary.subagent("in the background", prompt);
  return { name, input: { ...input, run_in_background: true } };
};
const toolsOf = (vocabulary: AgentVocabulary): Scenario => contractScenarios(vocabulary, "")["two-tools"];

export const acpScenarios: Scenarios = {
  "late-report": ({ folder }) => [
    { tools: [inBackground(`Do this: @@late-writer:${folder}`)] },
    { text: "It was started." },
    { text: contractTexts.done },
  ],
  "late-writer": ({ folder }) => [
    { tools: [claudeVocabulary.shell(`touch '${folder}/late.txt'`)] },
    { text: contractTexts.subagentReport },
  ],
  "endless-help": ({ folder }) => [
    { tools: [inBackground(`Do this: @@shell-long:${folder}`)] },
    { text: "It was started." },
  ],
  "tools-of-copilot": toolsOf(copilotVocabulary),
  "tools-of-opencode": toolsOf(opencodeVocabulary),
};

export const acpCases: readonly OwnCase[] = [
  {
    name: "a turn is over when its sub-agent in the background has reported",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, scenarioPrompt("late-report", folder));
      assert.ok(existsSync(join(folder, "late.txt")));
      assert.equal(ofType(events, "subagent.finished")[0]?.text, contractTexts.subagentReport);
      assert.equal(end.text, contractTexts.done);
      await session.close();
    },
  },
  {
    name: "a turn that is stopped stops its sub-agents too",
    async run({ harness }) {
      await stopWhileToolRuns(harness, (folder) => scenarioPrompt("endless-help", folder));
    },
  },
  {
    name: "a stranger's hooks and servers never start, because no session does; a trusted project's do",
    async run({ harness }) {
      const folder = harness.newFolder();
      const { traces } = await plantClaudeProject(folder);
      await assert.rejects(openSession(harness, folder, { isProjectTrusted: false }), (error) =>
        AtomicError.is(error, "AGENT_NEEDS_TRUST"),
      );
      assert.deepEqual(
        traces.filter((file) => existsSync(file)),
        [],
      );
      const session = await openSession(harness, folder, { isProjectTrusted: true });
      await completeTurn(session, harness.prompt("answer", folder));
      await eventually("its hooks and its server ran", () => traces.every((file) => existsSync(file)));
      await session.close();
    },
  },
  {
    name: "Copilot works through the protocol as well",
    run: (context) => runTools(context, { scenario: "tools-of-copilot", ...copilot(context) }),
  },
  {
    name: "failures that Copilot reports as text, at the end of an ordinary turn, fail the turn",
    async run(context) {
      const agent = copilot(context);
      const client = createAcpClient(agent.command, rigHost(context.place, agent.variables));
      try {
        for (const [scenario, kind] of Object.entries({
          "error-401": "auth",
          "error-429-reset": "rate_limited",
          "error-overflow": "context_overflow",
          empty: "invalid_output",
        })) {
          const session = await client.open({ cwd: context.harness.newFolder(), isProjectTrusted: true });
          const { end } = await readTurn(session, scenarioPrompt(scenario));
          assert.ok(end.type === "turn.failed" && end.failure.kind === kind, `${scenario}: ${describeEnd(end)}`);
          await session.close();
        }
      } finally {
        await client.close();
      }
    },
  },
  {
    name: "OpenCode works through the protocol as well",
    run: (context) =>
      runTools(context, {
        scenario: "tools-of-opencode",
        command: `"${packages}/opencode-${process.platform}-${process.arch}/bin/opencode" acp`,
        variables: { ...quiet, OPENCODE_CONFIG_CONTENT: JSON.stringify(userConfig(context.place)) },
      }),
  },
];

interface OtherAgent {
  readonly command: string;
  readonly variables: Record<string, string>;
}

function copilot({ place }: SuiteContext): OtherAgent {
  return {
    command: `"${packages}/@github/copilot-${process.platform}-${process.arch}/copilot" --acp --no-auto-update`,
    variables: copilotVariables(place),
  };
}

async function runTools(
  { harness, place }: SuiteContext,
  agent: OtherAgent & { readonly scenario: string },
): Promise<void> {
  const client: AgentClient = createAcpClient(agent.command, rigHost(place, agent.variables));
  try {
    const folder = harness.newFolder();
    const session = await client.open({ cwd: folder, isProjectTrusted: true });
    const { events, end } = await completeTurn(session, scenarioPrompt(agent.scenario, folder));
    assert.equal(end.text, contractTexts.done);
    assert.equal(readFileSync(join(folder, "copy.txt"), "utf8"), contractTexts.fileContent);
    assert.deepEqual(
      ofType(events, "tool.started").map(({ kind }) => kind),
      ["write", "shell"],
    );
    assert.ok(ofType(events, "tool.finished").every(({ outcome }) => outcome === "ok"));
  } finally {
    await client.close();
  }
}
