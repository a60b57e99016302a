// Which runs are the user's own. A record says what to start when its run is resumed: an agent's program, the commands
// that check the work. Records in Atomic's own folder are the user's. Where a setting keeps runs in the project
// (`.ralph/sessions`), a stranger's repository can bring some along; so the ids of the user's own are noted at home,
// and no other run is resumed without consent.

import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../lib/real-path.ts";
import { AtomicError } from "../lib/errors.ts";
import { removeFolder } from "../lib/remove-folder.ts";
import { isSystemError } from "../lib/atomic-file.ts";

export interface OwnRuns {
  /** Call it before the run's folder is created. */
  note(run: string): void;
  /** Whether this user started the run, or said that it may be resumed. */
  has(run: string): boolean;
  /**
   * Throws NOT_TRUSTED for a run that was not noted, unless the user says that it may be resumed: then it is noted.
   * What its folder says about processes can't be trusted, and is dropped.
   */
  require(run: string, isTrusted: boolean): void;
}

/** All runs are the user's own. */
export const everyRun: OwnRuns = { note: () => undefined, has: () => true, require: () => undefined };

/** `sessionsDir`: where runs are kept. */
export function createOwnRuns(atomicHome: string, sessionsDir: string): OwnRuns {
  const dir = realPlace(sessionsDir);
  if (isInside(dir, realPlace(atomicHome))) return everyRun;
  const folder = join(atomicHome, "workflows", "own-runs");

  function note(run: string): void {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, run), dir, { mode: 0o600 });
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      // A home that can't be written must not keep a run from starting; resuming it asks for consent then.
    }
  }

  return {
    note,
    has: (run) => isNoted(join(folder, run), dir),
    require(run, isTrusted) {
      if (isNoted(join(folder, run), dir)) return;
      if (isTrusted) {
        removeFolder(join(dir, run, "processes"));
        return note(run);
      }
      const text = `Run ${run} in ${sessionsDir} was not started by you with ${atomicHome}, so it is not resumed: its record says which programs and commands to start. Look at it with \`atomic sessions show ${run}\`; if you trust it, add --trust.`;
      throw new AtomicError("NOT_TRUSTED", text, { details: { run, sessionsDir } });
    },
  };
}

/** The real path, also of what is not there yet. */
function realPlace(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
}

function isNoted(file: string, dir: string): boolean {
  try {
    return readFileSync(file, "utf8") === dir;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}
