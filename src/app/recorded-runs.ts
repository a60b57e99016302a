// The user's runs, to look at: for commands that start none. Loads neither the engine nor the catalog.

import { requireValid, resolveSettings, type Settings } from "../settings/resolve-settings.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import type { AppParts } from "./parts.ts";
import { createRunReader, type RunReader } from "./runs-read.ts";
import { sessionsDir } from "./sessions-dir.ts";

/** Opens the store that keeps the runs. `dir`: where their folders on this machine are. */
export type OpenRuns = (keeping: { readonly dir: string }) => Promise<RunStore>;

export interface StoreParts extends Pick<AppParts, "place"> {
  readonly openRuns: OpenRuns;
}

/** Throws SETTINGS_INVALID. */
export async function openRecordedRuns(
  parts: StoreParts & Pick<AppParts, "environment" | "clock">,
): Promise<RunReader> {
  return createRunReader(await openRunStore(requireValid(resolveSettings(parts)), parts), parts.clock);
}

/** Where the settings say that runs are kept. */
export function openRunStore(settings: Settings, parts: StoreParts): Promise<RunStore> {
  return parts.openRuns({ dir: sessionsDir(settings, parts) });
}
