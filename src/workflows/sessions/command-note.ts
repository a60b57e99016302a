// What a front end learns about a command that a run starts itself, while it runs: shown, never stored.

import { isJsonObject } from "../../lib/is-record.ts";
import type { Json } from "../../lib/json.ts";

export interface NotedCommand {
  readonly command: string;
  /** The task it is for, null for the whole run. */
  readonly task: string | null;
}

const started = "command.started";
const finished = "command.finished";

/** The type and the data of the note. */
export function commandNote(command: string, task: string | null, isRunning: boolean): [string, Json] {
  return [isRunning ? started : finished, { command, task }];
}

/** Undefined for any other note. */
export function readCommandNote(
  type: string,
  data: Json,
): (NotedCommand & { readonly isRunning: boolean }) | undefined {
  if ((type !== started && type !== finished) || !isJsonObject(data)) return undefined;
  const { command, task } = data;
  if (typeof command !== "string") return undefined;
  return { command, task: typeof task === "string" ? task : null, isRunning: type === started };
}
