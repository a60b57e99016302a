// How the agents without a model (scripted, replay) identify a turn.

import type { TurnOptions } from "./port.ts";

export interface TurnRequest {
  /** The name of the agent or sub-agent; undefined for a plain session. */
  readonly agent: string | undefined;
  readonly task: TurnOptions["task"];
  readonly prompt: string;
}

/** `atomic:worker` and `worker` are one name. */
export function sameAgent(a: string, b: string | undefined): boolean {
  return b !== undefined && bare(a) === bare(b);
}

export function matchesTask(wanted: string, task: TurnOptions["task"]): boolean {
  return task !== undefined && (task.id === wanted || task.title === wanted);
}

/** For the error of a turn that nothing serves. */
export function describeRequest({ agent, task, prompt }: TurnRequest): string {
  const who = agent === undefined ? "no agent name" : `agent "${agent}"`;
  const what = task === undefined ? "" : `, task ${task.id} ("${task.title}")`;
  const start = prompt.length > 200 ? `${prompt.slice(0, 200)}…` : prompt;
  return `${who}${what} and the prompt ${JSON.stringify(start)}`;
}

function bare(name: string): string {
  return name.startsWith("atomic:") ? name.slice("atomic:".length) : name;
}
