// Which agents are out, as a run's record has it: a later process keeps away from them until their limit is over.

import type { Outage } from "../../agents/outages.ts";
import type { StoredEvent } from "../../journal/port.ts";
import { readEvent } from "../../events/run-event.ts";

/** By the kind of agent. */
export type AgentOutages = Map<string, Outage>;

export function foldOutages(outages: AgentOutages, stored: StoredEvent): void {
  if (stored.type !== "agent.switched" && stored.type !== "agent.returned") return;
  const event = readEvent(stored);
  switch (event.type) {
    case "agent.switched": {
      const { kind, message, until } = event;
      outages.set(event.from, { kind, message, until: until ?? undefined });
      return;
    }
    case "agent.returned":
      outages.delete(event.agent);
      return;
    default:
      return;
  }
}
