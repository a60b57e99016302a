// Which store keeps the user's runs, as the settings say.

import type { Settings } from "../settings/resolve-settings.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import type { AppParts } from "./parts.ts";
import { sessionsDir } from "./sessions-dir.ts";

export interface RunsPlace {
  /** Where the folders of runs on this machine are. */
  readonly dir: string;
  /** The database that keeps the runs; absent: each run's own folder does. Holds a password. */
  readonly url?: string | undefined;
}

/** Opens the store that keeps the runs. */
export type OpenRuns = (place: RunsPlace) => Promise<RunStore>;

export interface StoreParts extends Pick<AppParts, "folders"> {
  readonly openRuns: OpenRuns;
}

/** Where the settings say that runs are kept. */
export function openRunStore(settings: Settings, parts: StoreParts): Promise<RunStore> {
  return parts.openRuns({ dir: sessionsDir(settings, parts), url: settings.text("store") });
}
