// For tests that need a sandbox (`npm run test:agents` installs one where it may: scripts/install-sandbox.ts). Where
// the system allows user namespaces, a sandbox that does not work is a failure. Where it does not, none can work, and a
// prominent message says so.

import { checkSandbox } from "../../src/agents/process/sandbox/check-sandbox.ts";

/** Whether the tests can run. Throws where a sandbox should work and does not. */
export async function canSandbox(): Promise<boolean> {
  const { problem } = await checkSandbox("strict", { environment: process.env, cwd: "/" });
  if (problem === undefined) return true;
  if (process.platform === "linux" && Bun.spawnSync(["unshare", "-Ur", "true"]).exitCode === 0)
    throw new Error(`This machine allows user namespaces, but no sandbox can be created: ${problem}`);
  process.stderr.write(`!!! THE SANDBOX IS NOT TESTED: this machine allows no user namespaces. ${problem}\n`);
  return false;
}
