// docs/agents.md shows what each backend can do. The table is made from the capabilities; run this file with
// UPDATE_DOCS=1 to write it anew.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilityTable } from "../testing/contracts/agent-contract.ts";
import { createAcpCapabilities } from "./acp/acp-capabilities.ts";
import { claudeCapabilities } from "./claude/claude-client.ts";
import { copilotCapabilities } from "./copilot/copilot-client.ts";
import { opencodeCapabilities } from "./opencode/opencode-client.ts";
import { replayCapabilities } from "./replay/replay-client.ts";
import { scriptedCapabilities } from "./scripted/scripted-client.ts";

const backends = [
  { kind: "claude", capabilities: claudeCapabilities },
  { kind: "opencode", capabilities: opencodeCapabilities },
  { kind: "copilot", capabilities: copilotCapabilities },
  // What the protocol allows; each agent says at its start what it lacks of that.
  { kind: "acp", capabilities: createAcpCapabilities().current },
  { kind: "scripted", capabilities: scriptedCapabilities },
  { kind: "replay", capabilities: replayCapabilities },
];

test("docs/agents.md has the table of capabilities as it is", () => {
  const path = join(import.meta.dirname, "../../docs/agents.md");
  const document = readFileSync(path, "utf8");
  const [before = "", rest = ""] = document.split("<!-- capabilities -->\n");
  const [table = "", after = ""] = rest.split("<!-- /capabilities -->");
  const expected = `\n${capabilityTable(backends)}\n\n`;
  if (process.env["UPDATE_DOCS"] === "1") {
    writeFileSync(path, `${before}<!-- capabilities -->\n${expected}<!-- /capabilities -->${after}`);
    return;
  }
  expect(table).toBe(expected);
});
