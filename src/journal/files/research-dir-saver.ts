// Runs next to a project's research, where they can be looked at and shared: `research/checkpoints/<run>/`.

import type { Clock } from "../../lib/clock.ts";
import { foldersIn } from "./file-saver.ts";
import { FileStore } from "./file-store.ts";

export interface ResearchDirSaverOptions {
  /** Default: `research/checkpoints` in the working folder. */
  readonly dir?: string;
  readonly clock?: Clock;
}

export class ResearchDirSaver extends FileStore {
  constructor(options: ResearchDirSaverOptions = {}) {
    super(foldersIn(options.dir ?? "research/checkpoints"), options.clock);
  }
}
