// One case of the agent contract.

import type { CapabilityName } from "../../agents/capabilities.ts";
import type { AgentHarness } from "./agent-harness.ts";

export interface AgentCase {
  readonly name: string;
  /** Capabilities that the case needs. */
  readonly needs: readonly CapabilityName[];
  readonly run: (harness: AgentHarness) => Promise<void>;
  /** A call that must be refused with AGENT_CAPABILITY when one of `needs` is missing. */
  readonly refusal?: (harness: AgentHarness) => Promise<unknown>;
}
