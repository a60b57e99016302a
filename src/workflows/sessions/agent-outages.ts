// Which agents are out, according to a run's record: a later process avoids them until their limit has ended.

import type { Outage } from "../../agents/outages.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { PersistentMap } from "../../lib/persistent-map.ts";

/** By the kind of agent. */
export type AgentOutages = PersistentMap<Outage>;

export function nextOutages(outages: AgentOutages, event: RunEvent): AgentOutages {
  if (event.type === "agent.returned") return outages.delete(event.agent);
  if (event.type !== "agent.switched") return outages;
  const { from, kind, message, until } = event;
  return outages.set(from, { kind, message, until: until ?? undefined });
}
