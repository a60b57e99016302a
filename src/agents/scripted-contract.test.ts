// The scripted agent keeps the contract of the port.

import { afterAll, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentContract } from "../testing/contracts/agent-contract.ts";
import { scriptedHarness } from "../testing/scripted-contract.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-scripted-"));
const harness = scriptedHarness(root);
afterAll(async () => {
  await harness.client.close();
  rmSync(root, { recursive: true, force: true });
});

for (const { name, run } of agentContract) test(`scripted: ${name}`, () => run(harness), 60_000);
