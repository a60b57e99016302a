// Events of the program, read with care: their types are generated for another version than the one that runs, and some
// are in no type at all.

import type { SdkEvent } from "./sdk.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface CopilotEvent {
  readonly type: string;
  /** The sub-agent it is about; absent: the agent of the session. */
  readonly agentId: string | undefined;
  readonly data: Fields;
}

export function readEvent({ type, agentId, data }: SdkEvent): CopilotEvent {
  return { type, agentId: typeof agentId === "string" && agentId !== "" ? agentId : undefined, data: asFields(data) };
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Empty when it is no object. */
export function fieldsIn(fields: Fields, name: string): Fields {
  return asFields(fields[name]);
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
