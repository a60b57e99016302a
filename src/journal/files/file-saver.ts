// Runs in a folder of folders: `<dir>/<run>/`.

import { join, resolve } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { namesIn } from "../../lib/names-in.ts";
import { FileStore, type RunFolders } from "./file-store.ts";

export interface FileSaverOptions {
  /** Holds one folder per run. Created with the first run. */
  readonly dir: string;
  readonly clock?: Clock;
}

export class FileSaver extends FileStore {
  constructor(options: FileSaverOptions) {
    super(foldersIn(options.dir), options.clock);
  }
}

/** One folder per run, named after it. Resolved now, so that a later change of the working folder has no effect. */
export function foldersIn(dir: string): RunFolders {
  const place = resolve(dir);
  return { place, pathOf: (run) => join(place, run), candidates: () => namesIn(place).toSorted() };
}
