// Events of the program, read with care: their types are generated for another version than the one that runs, and some
// are in no type at all.

import { asFields, type Fields } from "../fields.ts";
import type { WireEvent } from "./copilot-wire.ts";

export interface CopilotEvent {
  readonly type: string;
  /** The sub-agent it is about; absent: the agent of the session. */
  readonly agentId: string | undefined;
  readonly data: Fields;
}

export function readCopilotEvent({ type, agentId, data }: WireEvent): CopilotEvent {
  return { type, agentId: typeof agentId === "string" && agentId !== "" ? agentId : undefined, data: asFields(data) };
}
