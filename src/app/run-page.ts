// A run as it is shown by itself: what its events add up to, who owns it, and its folder.

import type { RunInfo } from "../journal/port.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import type { SessionFolder } from "../workflows/sessions/session-folder.ts";
import type { SessionView } from "../workflows/sessions/session-view.ts";
import { readRun } from "../workflows/sessions/view-snapshot.ts";
import { hasNoOwner, runStatus, type RunStatus } from "./run-status.ts";
import { notStarted } from "./start-facts.ts";

export interface RunPage {
  readonly view: SessionView;
  readonly info: RunInfo;
  readonly status: RunStatus;
  readonly folder: SessionFolder;
}

/** The info comes first: a run that ends in between then shows as ended, never as interrupted. */
export async function readPage(store: RunStore, folder: SessionFolder, info: RunInfo): Promise<RunPage> {
  if (info.lastSeq === 0 && hasNoOwner(info)) throw notStarted(folder.id);
  const { view } = await readRun(store, folder.id);
  return { view, info, folder, status: runStatus(view, info.owner) };
}
