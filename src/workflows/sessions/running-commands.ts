// Commands that a run itself runs at this moment: its checks, and what sets a work tree up. A pure fold of what is live.

import type { Json } from "../../lib/json.ts";
import { readCommandNote } from "./command-note.ts";

export interface RunningCommand {
  readonly command: string;
  /** The task it is for; undefined: the whole run. */
  readonly task: string | undefined;
  readonly node: string;
  readonly key: string;
  readonly since: number;
}

interface Note {
  readonly type: string;
  readonly node: string;
  readonly key: string;
  readonly data: Json;
}

/** The same list when the note is about something else. */
export function nextCommands(
  running: readonly RunningCommand[],
  { type, node, key, data }: Note,
  now: number,
): readonly RunningCommand[] {
  const noted = readCommandNote(type, data);
  if (noted === undefined) return running;
  const { command, isRunning } = noted;
  const task = noted.task ?? undefined;
  if (isRunning) return [...running, { command, task, node, key, since: now }];
  const at = running.findIndex((each) => each.command === command && each.task === task && each.key === key);
  return at === -1 ? running : running.toSpliced(at, 1);
}
