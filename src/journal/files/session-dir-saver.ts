// Runs inside existing session folders: the journal next to `session.json` and the logs, snapshots in the
// session's `checkpoints/`. Removing a run leaves every other file of its session.

import { resolve } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { foldersIn } from "./file-saver.ts";
import { FileStore, type RunFolders } from "./file-store.ts";

export interface SessionDirSaverOptions {
  /** A folder with one session folder per run, or where the session folder of a run is. */
  readonly dir: string | ((run: string) => string);
  /** Which runs there may be, for `list` when `dir` is a function. Default: those this saver was asked for. */
  readonly runs?: () => readonly string[];
  readonly clock?: Clock;
}

export class SessionDirSaver extends FileStore {
  constructor(options: SessionDirSaverOptions) {
    super(sessionFolders(options), options.clock);
  }
}

function sessionFolders({ dir, runs }: SessionDirSaverOptions): RunFolders {
  if (typeof dir === "string") {
    const folders = foldersIn(dir);
    return runs === undefined ? folders : { ...folders, candidates: runs };
  }
  const asked = new Set<string>();
  return {
    place: "the session folders",
    pathOf(run) {
      asked.add(run);
      return resolve(dir(run));
    },
    candidates: runs ?? (() => [...asked]),
  };
}
