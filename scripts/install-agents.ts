// Installs the real agent programs into tests/agents, for the suites there and for the benches. `npm run test:agents`
// calls it; run by itself it does nothing else.

import { join } from "node:path";
import { installPinned } from "./install-pinned.ts";

export function installAgents(): Promise<void> {
  return installPinned(join(import.meta.dir, "../tests/agents"), "the agent programs into tests/agents (about 1.1 GB)");
}

if (import.meta.main) await installAgents();
